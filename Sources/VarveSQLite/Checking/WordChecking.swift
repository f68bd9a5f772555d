import GRDBSQLite
import VarveCore

/// The tables of words against the texts they were made of. FTS5 proves them itself, by a command
/// that counts as a write, so it is given a copy of the file.
extension Checker {
  /// - Complexity: O(file), and as much space in a temporary file; nothing where nothing is searched.
  func checkWords() throws {
    let words = try session.catalogue.layouts.values.compactMap { layout in
      try session.searchObjects(of: layout).isEmpty ? nil : "varve_search_\(layout.typeNumber)"
    }
    guard !words.isEmpty else { return }
    let copy = try Connection(.file(""), isReadOnly: false)
    defer { try? copy.close() }
    try session.connection.copy(into: copy)
    for table in words.sorted() where try session.connection.hasTable(table) {
      do {
        try copy.execute("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
      } catch is VarveError {
        find("the words in \(table) are not those of the texts")
      }
    }
  }
}

extension Connection {
  /// Copies the database as this connection reads it.
  fileprivate func copy(into other: Connection) throws {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.failure(sqlite3_errcode(other.handle))
    }
    sqlite3_backup_step(backup, -1)
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw other.failure(code) }
  }
}
