import VarveCore
import VarveSQL

/// Checks the catalogue, also against the tables that it describes.
extension Checker {
  func checkCatalogue() throws {
    try findRepeated("name", in: "varve_key", "two keys have one name")
    try findRepeated("name", in: "varve_type", "two types have one name")
    try findRepeated("lower(table_name)", in: "varve_type", "two types have one table")
    try findRepeated(
      "type || ' ' || lower(column_name)",
      in: "varve_column WHERE column_name IS NOT NULL",
      "two properties share a column"
    )
    for layout in session.catalogue.layouts.values {
      let columns = try columnNames(of: layout.table)
      for name in PhysicalNames.fixedColumns + layout.keyColumns where !columns.contains(name) {
        find("table \(layout.table) has no column \(name)")
      }
    }
    try checkTriggers()
  }

  private func findRepeated(_ expression: String, in table: String, _ what: String) throws {
    let sql = "SELECT count(*) - count(DISTINCT \(expression)) FROM \(table)"
    if try session.connection.integer(sql) ?? 0 > 0 { find(what) }
  }

  private func columnNames(of table: String) throws -> Set<String> {
    let statement = try session.connection.ownStatement("SELECT name FROM pragma_table_info(?)")
    statement.reserve(table.utf8.count)
    statement.bind(1, text: table)
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(0)) }
    return names
  }

  /// Checks that Varve's tables have only the triggers that maintain the search words. Any other
  /// trigger would change the data that is written.
  private func checkTriggers() throws {
    var expected: [String: String] = [:]
    for layout in session.catalogue.layouts.values {
      for object in try session.searchObjects(of: layout) { expected[object.name] = object.sql }
    }
    let ours = Set(session.catalogue.layouts.values.map { $0.table.lowercased() })
    let objects = try session.connection.ownStatement(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_master"
    )
    while try objects.step() {
      let (type, name, table) = (objects.text(0), objects.text(1), objects.text(2).lowercased())
      if let sql = expected.removeValue(forKey: name) {
        if objects.text(3) != sql { find("\(name) is not defined as expected") }
      } else if type == "trigger", ours.contains(table) || table.hasPrefix("varve_") {
        find("the trigger \(name) does not belong to Varve")
      }
    }
    for name in expected.keys.sorted() { find("\(name) is missing") }
  }
}
