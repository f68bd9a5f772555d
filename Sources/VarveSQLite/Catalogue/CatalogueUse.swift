import VarveCore

/// Uses of the catalogue that concern other parts of a session.
extension Session {
  /// Loads the catalogue if another connection changed it.
  func refreshCatalogue() throws {
    // Cells may have been removed from blocks since the blocks were read.
    if try catalogue.refresh() { log.forgetBlocks() }
  }

  /// Returns the number of a key. A new key is assigned one.
  func keyNumber(_ key: PropertyKey) throws -> Int64 {
    if let last = plans.column, last.key == key, last.version == catalogue.version {
      return last.column.keyNumber
    }
    return try catalogue.number(of: key)
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

  /// Makes the column for a key that is new to a type, and the table of words it is searched by.
  func addColumn(
    _ key: PropertyKey,
    ofType typeNumber: Int64,
    kind: Value.Kind,
    semanticType: String
  ) throws -> ColumnLayout {
    let column = try catalogue.addColumn(
      key,
      ofType: typeNumber,
      kind: kind,
      semanticType: semanticType
    )
    if let layout = catalogue.layouts[typeNumber],
      try searchedKeys(of: layout.type)[key] != nil
    {
      try makeSearchTables(layout)
    }
    return column
  }
}
