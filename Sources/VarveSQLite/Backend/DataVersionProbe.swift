package import VarveCore

/// Asks SQLite whether any other connection committed, whichever process it belongs to.
///
/// In WAL mode the answer stands in shared memory, so asking costs microseconds and no disk access.
final class DataVersionProbe: ChangeProbe {
  private let connection: Connection
  private var version: Int64?

  init(_ name: DatabaseName) throws { connection = try Connection(name, isReadOnly: true) }

  func hasChanged() throws -> Bool {
    let statement = try connection.statement("PRAGMA data_version")
    defer { statement.reset() }
    guard try statement.step() else { return true }
    let present = statement.int(0)
    defer { version = present }
    return version != present
  }

  func close() { try? connection.close() }
}

extension SQLiteBackend {
  /// Nobody else has the database of a memory store.
  package func changeProbe() throws -> (any ChangeProbe)? {
    try checkOpen()
    guard case .file(let path) = location else { return nil }
    return try DataVersionProbe(.file(path))
  }

  package func withheldCommits() async throws -> [Commit] {
    try await inspecting { session in
      try session.loadLog()
      let statement = try session.connection.ownStatement("SELECT n FROM varve_withheld")
      var numbers: [Int64] = []
      while try statement.step() { numbers.append(statement.int(0)) }
      return try numbers.map { try session.commit(number: $0) }.sorted {
        ($0.header.time, $0.id) < ($1.header.time, $1.id)
      }
    }
  }
}
