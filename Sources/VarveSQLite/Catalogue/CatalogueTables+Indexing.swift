import VarveCore

/// Requested indexes. One on several properties is created once all of them have columns.
extension CatalogueTables {
  /// Creates and keeps an index on properties of a type, the first with precedence.
  func addIndex(on keys: [PropertyKey], of type: EntityType) throws {
    guard !keys.isEmpty else { return }
    try wish(keys.count == 1 ? .insert : .insertJoint, keys, of: type)
    guard var layout = copy.layout(type) else { return }
    try createIndex(on: keys, of: layout)
    guard keys.count == 1, let index = layout.index(of: keys[0]), !layout.columns[index].isIndexed,
      layout.columns[index].column != nil
    else { return }
    layout.columns[index].isIndexed = true
    try change { $0.set(layout) }
  }

  /// Drops an index on properties of a type.
  func removeIndex(on keys: [PropertyKey], of type: EntityType) throws {
    guard try hasIndex(on: keys, of: type) else { return }
    try wish(keys.count == 1 ? .delete : .deleteJoint, keys, of: type)
    guard var layout = copy.layout(type) else { return }
    let columns = keys.compactMap(layout.column)
    if columns.count == keys.count {
      try connection.execute("DROP INDEX IF EXISTS main.\(layout.indexName(columns))")
    }
    if keys.count == 1, let index = layout.index(of: keys[0]) {
      layout.columns[index].isIndexed = false
    }
    try change { $0.set(layout) }
  }

  /// Returns whether an index on properties exists or was requested.
  func hasIndex(on keys: [PropertyKey], of type: EntityType) throws -> Bool {
    guard keys.count == 1 else { return try jointIndexes(of: type).contains(keys) }
    let statement = try connection.statement(
      "SELECT 1 FROM varve_index WHERE type_name = ? AND key_name = ?"
    )
    statement.reserve(type.text.utf8.count + keys[0].text.utf8.count)
    statement.bind(1, text: type.text)
    statement.bind(2, text: keys[0].text)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Returns the properties of the requested indexes on several.
  func jointIndexes(of type: EntityType) throws -> [[PropertyKey]] {
    guard try connection.hasTable("varve_joint_index") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT key_names FROM varve_joint_index WHERE type_name = ?"
    )
    statement.reserve(type.text.utf8.count)
    statement.bind(1, text: type.text)
    var indexes: [[PropertyKey]] = []
    while try statement.step() {
      guard case .array(let names) = try Value(encoded: statement.blob(0)) else { continue }
      indexes.append(names.compactMap { $0.stringValue.map { PropertyKey($0) } })
    }
    return indexes
  }

  /// Creates an index if all of the properties have columns.
  func createIndex(on keys: [PropertyKey], of layout: TableLayout) throws {
    let columns = keys.compactMap(layout.column)
    guard columns.count == keys.count, let sql = layout.indexCreation(on: columns) else { return }
    try connection.execute(sql)
  }

  private enum Wish: String {
    case insert = "INSERT OR IGNORE INTO varve_index (type_name, key_name) VALUES (?, ?)"
    case delete = "DELETE FROM varve_index WHERE type_name = ? AND key_name = ?"
    case insertJoint =
      "INSERT OR IGNORE INTO varve_joint_index (type_name, key_names) VALUES (?, ?)"
    case deleteJoint = "DELETE FROM varve_joint_index WHERE type_name = ? AND key_names = ?"
  }

  private func wish(_ wish: Wish, _ keys: [PropertyKey], of type: EntityType) throws {
    if wish == .insertJoint { try connection.execute(Schema.jointIndexes) }
    let names = Value.array(keys.map { .string($0.text) }).encoded
    let statement = try connection.ownStatement(wish.rawValue)
    statement.reserve(type.text.utf8.count + names.count)
    statement.bind(1, text: type.text)
    if keys.count == 1 {
      statement.bind(2, text: keys[0].text)
    } else {
      statement.bind(2, blob: names)
    }
    try statement.run()
  }
}
