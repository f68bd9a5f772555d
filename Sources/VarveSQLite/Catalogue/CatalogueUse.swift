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

  /// Returns the layout of a type. The table of a new type is created with these keys, and with the
  /// tables of words by which they are searched.
  func ensureLayout(
    _ type: EntityType,
    with keys: [CatalogueTables.NewKey]
  ) throws -> TableLayout {
    if let layout = catalogue.layout(type) { return layout }
    let layout = try catalogue.ensureLayout(type, with: keys)
    let searched = try searchedKeys(of: type)
    if keys.contains(where: { searched[$0.key] != nil }) { try makeSearchTables(layout) }
    return layout
  }

  /// Returns the column for a key of a type. For a new key it is created, with the kind of the
  /// first value.
  func ensureColumn(
    _ new: CatalogueTables.NewKey,
    of layout: inout TableLayout
  ) throws -> ColumnLayout {
    if let column = layout.column(new.key) { return column }
    let column = try addColumn(new, ofType: layout.typeNumber)
    layout.append(column)
    return column
  }

  /// Makes the column for a key that is new to a type, and the table of words by which it is
  /// searched.
  func addColumn(
    _ new: CatalogueTables.NewKey,
    ofType typeNumber: Int64
  ) throws -> ColumnLayout {
    let column = try catalogue.addColumn(new, ofType: typeNumber)
    if let layout = catalogue.layouts[typeNumber],
      try searchedKeys(of: layout.type)[new.key] != nil
    {
      try makeSearchTables(layout)
    }
    return column
  }
}
