import Synchronization
import VarveCore

/// Connections to one database, at most a number of them.
///
/// One that was not used for some seconds is closed: other hosts may need it.
final class PostgresPool: Sendable {
  private struct Idle {
    /// The connections that nobody uses, the one used last at the end, each with the time since when.
    var connections: [(connection: PostgresConnection, since: ContinuousClock.Instant)] = []
    var isTrimmed = false
  }

  /// The time for which a connection is kept that nobody uses.
  private static let idleTime: Duration = .seconds(5)

  let address: PostgresAddress
  private let permits: Permits
  private let limit: Int
  private let idle = Mutex(Idle())
  private let isClosed = Mutex(false)
  /// The server to which the last connection was made. The next one is tried there first.
  private let server = Mutex(0)

  init(_ address: PostgresAddress, limit: Int) {
    self.address = address
    self.limit = limit
    permits = Permits(limit)
  }

  /// Calls a closure with a connection. It is kept for later calls unless it is broken.
  ///
  /// - Throws: `VarveError` with code `busy` if no connection is free until the deadline,
  ///   `closed`; ``PostgresFailure``; what the closure throws.
  func use<Result>(
    until deadline: ContinuousClock.Instant,
    _ body: (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    guard try await permits.take(until: deadline) else {
      throw VarveError(
        .busy,
        "all \(limit) connections to the database were in use for too long",
        at: PostgresAddress.shown,
        remedy: "Try again, allow more time, or allow more connections."
      )
    }
    defer { permits.giveBack() }
    let connection = try await connection(until: deadline)
    do {
      let result = try await body(connection)
      await keep(connection)
      return result
    } catch {
      await keep(connection)
      throw error
    }
  }

  /// Closes the connections that are not in use, and refuses calls from now on.
  func close() async {
    isClosed.withLock { $0 = true }
    let connections = idle.withLock { idle in
      defer { idle.connections = [] }
      return idle.connections.map(\.connection)
    }
    for connection in connections { await connection.close() }
  }

  /// Opens a connection that does not count.
  ///
  /// - Throws: ``PostgresFailure``; if any server was full, the failure of a full server.
  ///   `VarveError` with code `closed`.
  func open(until deadline: ContinuousClock.Instant) async throws -> PostgresConnection {
    guard !isClosed.withLock({ $0 }) else {
      throw VarveError(.closed, "the home of the log is closed", at: PostgresAddress.shown)
    }
    let count = address.servers.count
    let first = server.withLock { $0 }
    var failure: PostgresFailure?
    for number in (0..<count).map({ (first + $0) % count }) {
      let limit = count == 1 ? deadline : min(deadline, .now + address.patience)
      do {
        let connection = try await PostgresConnection.open(address, server: number, until: limit)
        server.withLock { $0 = number }
        return connection
      } catch let other as PostgresFailure {
        failure = failure?.and(other) ?? other
      }
    }
    throw failure ?? PostgresFailure("no server is named", at: address.place, isBroken: true)
  }

  private func connection(
    until deadline: ContinuousClock.Instant
  ) async throws -> PostgresConnection {
    let deadline = max(deadline, .now + .seconds(1))
    while true {
      while let kept = idle.withLock({ $0.connections.popLast()?.connection }) {
        if await kept.isUsable { return kept }
        await kept.close()
      }
      do {
        return try await open(until: deadline)
      } catch let failure as PostgresFailure where failure.isOfFullServer {
        // One of this host's connections may come free, or one of another's.
        let pause = Duration.milliseconds(Int.random(in: 20...200))
        guard .now + pause < deadline else { throw failure }
        try await Task.sleep(for: pause)
      }
    }
  }

  private func keep(_ connection: PostgresConnection) async {
    guard await connection.isIdle, !isClosed.withLock({ $0 }) else {
      return await connection.close()
    }
    let mustTrim = idle.withLock { idle in
      idle.connections.append((connection, .now))
      defer { idle.isTrimmed = true }
      return !idle.isTrimmed
    }
    if mustTrim { trimLater() }
  }

  private func trimLater() {
    _ = Deadlines.shared.add(.now + Self.idleTime) { [weak self] in
      Task { await self?.trim() }
    }
  }

  /// Closes the connections that were not used for some seconds.
  private func trim() async {
    let limit = ContinuousClock.now - Self.idleTime
    let (closed, isEmpty) = idle.withLock { idle in
      let closed = idle.connections.filter { $0.since <= limit }.map(\.connection)
      idle.connections.removeAll { $0.since <= limit }
      idle.isTrimmed = !idle.connections.isEmpty
      return (closed, idle.connections.isEmpty)
    }
    for connection in closed { await connection.close() }
    if !isEmpty { trimLater() }
  }
}
