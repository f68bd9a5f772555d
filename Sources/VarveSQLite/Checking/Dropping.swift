import VarveCore

/// Drops derived tables as they are found in the file, because the catalogue that lists them may be
/// wrong.
extension Session {
  func dropTables() throws {
    let tables = try typeTables()
    try dropTriggers(on: tables)
    for table in try names(
      "SELECT name FROM main.sqlite_master WHERE name GLOB 'varve_search_[0-9]*'"
    ) {
      let number = table.dropFirst("varve_search_".count).prefix { $0.isNumber }
      if let number = Int64(number) { try dropSearchTables(number) }
    }
    for table in tables + Schema.dropped {
      try connection.execute("DROP TABLE IF EXISTS \(table.quotedIdentifier)")
    }
  }

  /// Returns the tables that begin with the columns of an entity table.
  private func typeTables() throws -> [String] {
    let columns = PhysicalNames.fixedColumns.joined(separator: " ")
    return try names(
      """
      SELECT m.name FROM main.sqlite_master AS m WHERE m.type = 'table'
      AND m.name NOT LIKE 'varve\\_%' ESCAPE '\\' AND (SELECT group_concat(name, ' ') FROM
        (SELECT name FROM pragma_table_info(m.name) ORDER BY cid LIMIT 6)) = '\(columns)'
      """
    )
  }

  /// Drops the triggers on these tables and on Varve's own. A rebuild creates again those that
  /// belong there.
  private func dropTriggers(on tables: [String]) throws {
    let triggers = try connection.ownStatement(
      "SELECT name, tbl_name FROM main.sqlite_master WHERE type = 'trigger'"
    )
    var found: [String] = []
    while try triggers.step() {
      let table = triggers.text(1)
      if tables.contains(table) || table.hasPrefix("varve_") { found.append(triggers.text(0)) }
    }
    for name in found { try connection.execute("DROP TRIGGER \(name.quotedIdentifier)") }
  }

  private func names(_ sql: String) throws -> [String] {
    let statement = try connection.ownStatement(sql)
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }
}
