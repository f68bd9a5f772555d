/// The metadata of the file: its tables, and the numbers in `varve_meta`.
extension Connection {
  func hasTable(_ name: String) throws -> Bool { try has("table", name) }

  func hasView(_ name: String) throws -> Bool { try has("view", name) }

  private func has(_ type: String, _ name: String) throws -> Bool {
    let statement = try ownStatement("SELECT 1 FROM main.sqlite_master WHERE type = ? AND name = ?")
    statement.reserve(type.utf8.count + name.utf8.count)
    statement.bind(1, text: type)
    statement.bind(2, text: name)
    return try statement.step()
  }

  /// Returns the SQL that defined a table, a view, an index or a trigger; nil if there is none.
  func definition(of name: String) throws -> String? {
    let statement = try ownStatement("SELECT sql FROM main.sqlite_master WHERE name = ?")
    statement.reserve(name.utf8.count)
    statement.bind(1, text: name)
    return try statement.step() ? statement.text(0) : nil
  }

  func metaInteger(_ key: String) throws -> Int64? {
    let statement = try statement("SELECT value FROM varve_meta WHERE key = ?")
    statement.reserve(key.utf8.count)
    statement.bind(1, text: key)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt(0) : nil
  }

  func setMeta(_ key: String, _ value: Int64) throws {
    let statement = try statement("INSERT OR REPLACE INTO varve_meta (key, value) VALUES (?, ?)")
    statement.reserve(key.utf8.count)
    statement.bind(1, text: key)
    statement.bind(2, value)
    try statement.run()
  }

  func removeMeta(_ key: String) throws {
    let statement = try statement("DELETE FROM varve_meta WHERE key = ?")
    statement.reserve(key.utf8.count)
    statement.bind(1, text: key)
    try statement.run()
  }
}
