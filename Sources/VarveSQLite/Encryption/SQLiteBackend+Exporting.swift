import VarveCore

/// Copies between plain and encrypted files, whose pages have different room for content, so that
/// SQLite cannot copy them page by page.
extension SQLiteBackend {
  /// Copies the store in one state, table by table. Writers go on.
  func export(
    to target: DatabaseName,
    _ progress: @Sendable (BackupProgress) -> Void
  ) async throws {
    progress(BackupProgress(.copying, done: 0, total: 1))
    let connection = try Connection(target, isReadOnly: false)
    do {
      try export(to: connection)
      connection.cleansUpOnClosing(true)
    } catch {
      try? connection.close()
      throw error
    }
    try connection.close()
    progress(BackupProgress(.copying, done: 1, total: 1))
    try Task.checkCancellation()
  }

  private func export(to connection: Connection) throws {
    // It writes the schema, and runs no SQL of a caller.
    connection.isDefended(false)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.attach(name, as: "source")
    try connection.execute("BEGIN")
    try connection.execute("SELECT sqlcipher_export('main', 'source')")
    for number in ["application_id", "user_version"] {
      let value = try connection.integer("PRAGMA source.\(number)") ?? 0
      try connection.execute("PRAGMA main.\(number) = \(value)")
    }
    try connection.execute("COMMIT")
    try connection.execute("DETACH source")
  }
}

extension Connection {
  /// Attaches a database, to be read.
  ///
  /// Its key is bound to the statement, so that it is in no SQL.
  fileprivate func attach(_ other: DatabaseName, as schema: String) throws {
    let path = other.pathToRead
    let statement = try ownStatement("ATTACH ? AS \(schema) KEY ?")
    guard let key = other.key else {
      statement.reserve(path.utf8.count)
      statement.bind(1, text: path)
      statement.bind(2, text: "")
      return try statement.run()
    }
    let text = try key.text(salt: nil)
    statement.reserve(path.utf8.count)
    statement.bind(1, text: path)
    try text.withUnsafeBytes { bytes in
      // Without a copy, which would stay in memory.
      statement.bind(2, lasting: bytes)
      defer { statement.bindNull(2) }
      try statement.run()
    }
  }
}

extension DatabaseName {
  /// The name under which a connection that also writes another database reads this one.
  fileprivate var pathToRead: String {
    guard isStore else { return path }
    let still = StillFile(self)
    return still == nil && StoreFile.isWritable(StoreFile.resolved(path))
      ? path : reading(isAlone: still != nil).path
  }
}
