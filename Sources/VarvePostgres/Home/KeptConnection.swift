import VarveCore

/// A connection in a transaction, which shows the server at intervals that its holder is alive.
///
/// It has one caller at a time: the holder, or the heartbeat. The server ends the session of a host
/// that is stopped, and with it locks, and snapshots that keep dead rows from being removed.
final class KeptConnection: Sendable {
  private let connection: PostgresConnection
  private let use = Permits(1)
  private let heartbeat: Heartbeat
  private let patience: Duration

  /// Begins to show signs of life on a connection whose transaction has begun.
  init(_ connection: PostgresConnection, _ configuration: PostgresHome.Configuration) {
    self.connection = connection
    patience = configuration.patience
    heartbeat = Heartbeat(connection, use, every: configuration.turnTimeout / 3)
  }

  /// Calls a closure while the heartbeat does not use the connection.
  func use<Result>(
    _ body: (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    guard try await use.take(until: .now + patience) else {
      throw PostgresFailure("there was no reply in time", at: connection.place, isBroken: true)
    }
    defer { use.giveBack() }
    return try await body(connection)
  }

  /// Runs a call that only reads.
  func read(_ call: PostgresCall) async throws -> PostgresResult {
    try await use { try await $0.run([call], until: .now + patience)[0] }
  }

  /// Shows no more signs of life, and rolls back.
  ///
  /// - Parameter rollsBack: false if the transaction was committed, or its holder goes on.
  func end(rollsBack: Bool = true) async {
    await heartbeat.end()
    guard rollsBack else { return }
    _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
  }
}
