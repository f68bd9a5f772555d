import VarveCore

/// Checks the tables of search words against their texts.
///
/// FTS5 checks them itself, with a command that counts as a write, so the check uses a copy of the
/// file.
extension Checker {
  /// Checks the words of all searchable properties; does nothing if there are none.
  ///
  /// - Complexity: O(file), and temporary disk space of the same size.
  func checkWords() throws {
    let words = try session.catalogue.layouts.values.flatMap { layout in
      try session.wordTables(of: layout).map(\.name)
    }
    guard !words.isEmpty else { return }
    let copy = try Connection(session.connection.name.temporary, isReadOnly: false)
    defer { try? copy.close() }
    let copying = try DatabaseCopy(from: session.connection, to: copy)
    while try copying.step() {}
    _ = consume copying
    for table in words.sorted() where try session.connection.hasTable(table) {
      do {
        try copy.execute("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
      } catch is VarveError {
        find("the words in \(table) do not match the texts")
      }
    }
  }
}
