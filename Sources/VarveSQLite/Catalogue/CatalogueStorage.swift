import VarveCore
import VarveSQL

/// Reads and extends the catalogue's tables.
extension Session {
  /// Loads the catalogue if another connection changed it.
  func refreshCatalogue() throws {
    let version = try connection.metaInteger("catalogue") ?? 0
    guard version != catalogue.version else { return }
    var fresh = Catalogue()
    fresh.version = version
    fresh.awaits = Catalogue.Awaits(rawValue: try connection.metaInteger("awaits") ?? 0) ?? .nothing
    let keys = try connection.statement("SELECT number, name FROM varve_key")
    while try keys.step() { fresh.add(key: PropertyKey(keys.text(1)), number: keys.int(0)) }
    keys.reset()
    if try connection.hasTable("varve_paired") { try loadPairForms(into: &fresh) }
    let types = try connection.statement(
      "SELECT number, name, table_name, in_order FROM varve_type"
    )
    var layouts: [TableLayout] = []
    while try types.step() {
      layouts.append(
        TableLayout(
          typeNumber: types.int(0),
          type: EntityType(types.text(1)),
          table: types.text(2),
          isInOrder: types.int(3) != 0,
          columns: []
        )
      )
    }
    types.reset()
    for var layout in layouts {
      try loadColumns(of: &layout, fresh)
      fresh.set(layout)
    }
    catalogue = fresh
    // Cells may have been removed from blocks since the blocks were read.
    blocks.removeAll()
  }

  private func loadColumns(of layout: inout TableLayout, _ catalogue: Catalogue) throws {
    let columns = try connection.statement(
      "SELECT key, column_name, kind, semantic_type, spilled FROM varve_column WHERE type = ?"
    )
    columns.reserve(0)
    columns.bind(1, layout.typeNumber)
    defer { columns.reset() }
    let indexed = try indexedKeys(of: layout.type)
    while try columns.step() {
      guard let key = catalogue.keys[columns.int(0)],
        let kind = Value.Kind(rawValue: UInt8(truncatingIfNeeded: columns.int(2)))
      else { throw connection.damaged("the catalogue refers to an unknown key or kind") }
      layout.append(
        ColumnLayout(
          keyNumber: columns.int(0),
          key: key,
          column: columns.isNull(1) ? nil : columns.text(1),
          kind: kind,
          semanticType: columns.text(3),
          isSpilled: columns.int(4) != 0,
          isIndexed: indexed.contains(key)
        )
      )
    }
  }

  private func indexedKeys(of type: EntityType) throws -> Set<PropertyKey> {
    let statement = try connection.ownStatement(
      "SELECT key_name FROM varve_index WHERE type_name = ?"
    )
    statement.bind(1, text: type.text)
    var keys: Set<PropertyKey> = []
    while try statement.step() { keys.insert(PropertyKey(statement.text(0))) }
    return keys
  }

  /// Records in the store that the catalogue changed.
  func noteCatalogueChange() throws {
    catalogue.version += 1
    try connection.setMeta("catalogue", catalogue.version)
  }

  /// Returns the number of a key. A new key is assigned one.
  func keyNumber(_ key: PropertyKey) throws -> Int64 {
    if let last = lastColumn, last.key == key, last.version == catalogue.version {
      return last.column.keyNumber
    }
    if let number = catalogue.keyNumbers[key] { return number }
    let number = Int64(catalogue.keyNumbers.count + 1)
    let insert = try connection.statement("INSERT INTO varve_key (number, name) VALUES (?, ?)")
    insert.reserve(key.text.utf8.count)
    insert.bind(1, number)
    insert.bind(2, text: key.text)
    try insert.run()
    catalogue.add(key: key, number: number)
    try noteCatalogueChange()
    return number
  }

  /// Returns the layout of a type. The table of a new type is created.
  func ensureLayout(_ type: EntityType) throws -> TableLayout {
    if let layout = catalogue.layout(type) { return layout }
    let number = Int64(catalogue.layouts.count + 1)
    let table = PhysicalNames.choose(
      for: type.text,
      prefix: "t",
      number: number,
      taken: catalogue.tableNames
    )
    let layout = TableLayout(
      typeNumber: number,
      type: type,
      table: table,
      isInOrder: true,
      columns: []
    )
    try connection.execute(layout.creation)
    let insert = try connection.statement(
      "INSERT INTO varve_type (number, name, table_name, in_order) VALUES (?, ?, ?, 1)"
    )
    insert.reserve(type.text.utf8.count + table.utf8.count)
    insert.bind(1, number)
    insert.bind(2, text: type.text)
    insert.bind(3, text: table)
    try insert.run()
    catalogue.set(layout)
    try noteCatalogueChange()
    return layout
  }

  /// Returns the column for a key of a type. For a new key it is created, with the kind of the
  /// first value.
  func ensureColumn(
    _ key: PropertyKey,
    of layout: inout TableLayout,
    kind: Value.Kind,
    semanticType: String
  ) throws -> ColumnLayout {
    if let column = layout.column(key) { return column }
    let column = try addColumn(
      key,
      ofType: layout.typeNumber,
      kind: kind,
      semanticType: semanticType
    )
    layout.append(column)
    return column
  }

  /// Creates the column for a key that is new to a type.
  func addColumn(
    _ key: PropertyKey,
    ofType typeNumber: Int64,
    kind: Value.Kind,
    semanticType: String
  ) throws -> ColumnLayout {
    let number = try keyNumber(key)
    var column = ColumnLayout(
      keyNumber: number,
      key: key,
      column: columnName(for: key, number, ofType: typeNumber),
      kind: kind,
      semanticType: semanticType
    )
    guard let type = catalogue.layouts[typeNumber]?.type else {
      throw connection.damaged("a type is missing in the catalogue")
    }
    column.isIndexed = try indexedKeys(of: type).contains(key)
    if let name = column.column, let sql = catalogue.layouts[typeNumber]?.addition(of: name) {
      try connection.execute(sql)
    }
    try insert(column, ofType: typeNumber)
    catalogue.append(column, toType: typeNumber)
    if column.isIndexed, let sql = catalogue.layouts[typeNumber]?.indexCreation(on: column) {
      try connection.execute(sql)
    }
    if kind == .string, try searchedKeys(of: type).contains(key),
      let layout = catalogue.layouts[typeNumber]
    {
      try makeSearchTable(layout)
    }
    try noteCatalogueChange()
    return column
  }

  /// Returns the name of a new column, or nil if the type has the maximum number of columns.
  private func columnName(
    for key: PropertyKey,
    _ number: Int64,
    ofType typeNumber: Int64
  ) -> String? {
    guard let layout = catalogue.layouts[typeNumber],
      layout.keyColumnCount < PhysicalNames.maximumColumnCount
    else { return nil }
    return PhysicalNames.choose(
      for: key.text,
      prefix: "c",
      number: number,
      taken: Set(layout.keyColumns.map { $0.lowercased() })
    )
  }

  private func insert(_ column: ColumnLayout, ofType typeNumber: Int64) throws {
    let insert = try connection.statement(
      """
      INSERT INTO varve_column (type, key, column_name, kind, semantic_type, spilled)
      VALUES (?, ?, ?, ?, ?, 0)
      """
    )
    insert.reserve((column.column?.utf8.count ?? 0) + column.semanticType.utf8.count)
    insert.bind(1, typeNumber)
    insert.bind(2, column.keyNumber)
    if let name = column.column { insert.bind(3, text: name) } else { insert.bindNull(3) }
    insert.bind(4, Int64(column.kind.rawValue))
    insert.bind(5, text: column.semanticType)
    try insert.run()
  }

  /// Records that rows have a key in the overflow column, so that queries read it there.
  func noteSpill(_ key: PropertyKey, of type: EntityType) throws {
    guard let number = catalogue.typeNumbers[type] else { return }
    try noteSpill(key, ofType: number)
  }

  func noteSpill(_ key: PropertyKey, ofType typeNumber: Int64) throws {
    guard catalogue.noteSpill(key, ofType: typeNumber) else { return }
    let update = try connection.statement(
      "UPDATE varve_column SET spilled = 1 WHERE type = ? AND key = ?"
    )
    update.bind(1, typeNumber)
    update.bind(2, catalogue.keyNumbers[key] ?? 0)
    try update.run()
    try noteCatalogueChange()
  }

  /// Records that the rows of a type are no longer in creation order.
  func noteDisorder(of typeNumber: Int64) throws {
    guard var layout = catalogue.layouts[typeNumber], layout.isInOrder else { return }
    layout.isInOrder = false
    let update = try connection.statement("UPDATE varve_type SET in_order = 0 WHERE number = ?")
    update.bind(1, typeNumber)
    try update.run()
    catalogue.set(layout)
    try noteCatalogueChange()
  }

  /// Creates and keeps an index on a property of a type.
  func addIndex(on key: PropertyKey, of type: EntityType) throws {
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_index (type_name, key_name) VALUES (?, ?)"
    )
    insert.reserve(type.text.utf8.count + key.text.utf8.count)
    insert.bind(1, text: type.text)
    insert.bind(2, text: key.text)
    try insert.run()
    guard var layout = catalogue.layout(type), let index = layout.index(of: key),
      let sql = layout.indexCreation(on: layout.columns[index])
    else { return }
    try connection.execute(sql)
    guard !layout.columns[index].isIndexed else { return }
    layout.columns[index].isIndexed = true
    catalogue.set(layout)
    try noteCatalogueChange()
  }

  /// Returns whether an index on a property exists or was requested.
  func hasIndex(on key: PropertyKey, of type: EntityType) throws -> Bool {
    let statement = try connection.statement(
      "SELECT 1 FROM varve_index WHERE type_name = ? AND key_name = ?"
    )
    statement.reserve(type.text.utf8.count + key.text.utf8.count)
    statement.bind(1, text: type.text)
    statement.bind(2, text: key.text)
    defer { statement.reset() }
    return try statement.step()
  }
}
