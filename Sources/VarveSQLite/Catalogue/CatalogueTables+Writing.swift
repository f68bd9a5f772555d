import VarveCore

/// Extending the catalogue's tables.
extension CatalogueTables {
  /// Returns the number of a key. A new key is assigned one.
  func number(of key: PropertyKey) throws -> Int64 {
    if let number = copy.keyNumbers[key] { return number }
    let number = Int64(copy.keyNumbers.count + 1)
    let insert = try connection.statement("INSERT INTO varve_key (number, name) VALUES (?, ?)")
    insert.reserve(key.text.utf8.count)
    insert.bind(1, number)
    insert.bind(2, text: key.text)
    try insert.run()
    try change { $0.add(key: key, number: number) }
    return number
  }

  /// A key that a type may not have yet, and the first value's kind and semantic type.
  struct NewKey {
    let key: PropertyKey
    let kind: Value.Kind
    let semanticType: String
  }

  /// Returns the layout of a type. The table of a new type is created.
  ///
  /// - Parameter keys: the keys that the table of a new type begins with. A column that is added
  ///   later costs SQLite as much as reading the definitions of all tables.
  func ensureLayout(_ type: EntityType, with keys: [NewKey] = []) throws -> TableLayout {
    if let layout = copy.layout(type) { return layout }
    let number = Int64(copy.layouts.count + 1)
    let table = PhysicalNames.choose(
      for: type.text,
      prefix: "t",
      number: number,
      taken: copy.tableNames
    )
    var layout = TableLayout(
      typeNumber: number,
      type: type,
      table: table,
      isInOrder: true,
      columns: []
    )
    let indexed = keys.isEmpty ? [] : try indexedKeys(of: type)
    for new in keys where layout.column(new.key) == nil {
      layout.append(try column(new, of: layout, isIndexed: indexed.contains(new.key)))
    }
    try connection.execute(layout.creation)
    let insert = try connection.statement(
      "INSERT INTO varve_type (number, name, table_name, in_order) VALUES (?, ?, ?, 1)"
    )
    insert.reserve(type.text.utf8.count + table.utf8.count)
    insert.bind(1, number)
    insert.bind(2, text: type.text)
    insert.bind(3, text: table)
    try insert.run()
    for column in layout.columns { try self.insert(column, ofType: number) }
    try change { $0.set(layout) }
    for column in layout.columns where column.isIndexed {
      try createIndex(on: [column.key], of: layout)
    }
    if !keys.isEmpty {
      for joint in try jointIndexes(of: type) { try createIndex(on: joint, of: layout) }
    }
    return layout
  }

  /// Chooses where a key that is new to a type is stored.
  private func column(
    _ new: NewKey,
    of layout: TableLayout,
    isIndexed: Bool
  ) throws -> ColumnLayout {
    let number = try number(of: new.key)
    return ColumnLayout(
      keyNumber: number,
      key: new.key,
      column: columnName(for: new.key, number, in: layout),
      kind: new.kind,
      semanticType: new.semanticType,
      isIndexed: isIndexed
    )
  }

  /// Creates the column for a key that is new to a type.
  func addColumn(_ new: NewKey, ofType typeNumber: Int64) throws -> ColumnLayout {
    let (type, column) = try makeColumn(new, ofType: typeNumber)
    try insert(column, ofType: typeNumber)
    try change { $0.append(column, toType: typeNumber) }
    var indexes = try jointIndexes(of: type).filter { $0.contains(new.key) }
    if column.isIndexed { indexes.append([new.key]) }
    for keys in indexes {
      if let layout = copy.layouts[typeNumber] { try createIndex(on: keys, of: layout) }
    }
    return column
  }

  /// Adds the column of a key to a type's table. The layout is not held while the catalogue changes.
  private func makeColumn(
    _ new: NewKey,
    ofType typeNumber: Int64
  ) throws -> (EntityType, ColumnLayout) {
    guard let layout = copy.layouts[typeNumber] else {
      throw connection.damaged("a type is missing in the catalogue")
    }
    let isIndexed = try indexedKeys(of: layout.type).contains(new.key)
    let column = try column(new, of: layout, isIndexed: isIndexed)
    if let name = column.column { try connection.execute(layout.addition(of: name)) }
    return (layout.type, column)
  }

  /// Returns the name of a new column, or nil if the type has the maximum number of columns.
  private func columnName(
    for key: PropertyKey,
    _ number: Int64,
    in layout: TableLayout
  ) -> String? {
    guard layout.keyColumnCount < PhysicalNames.maximumColumnCount else { return nil }
    return PhysicalNames.choose(
      for: key.text,
      prefix: PhysicalNames.columnPrefix,
      number: number,
      taken: Set(layout.keyColumns.map { $0.lowercased() })
    )
  }

  /// Whether a store from before 2026-11-24 has columns that SQLite does not find in subqueries.
  var hasTruthColumns: Bool { !truthColumns.isEmpty }

  private var truthColumns: [(type: TableLayout, column: ColumnLayout, name: String)] {
    copy.layouts.values.flatMap { layout in
      layout.columns.compactMap { column in
        guard let name = column.column, PhysicalNames.isTruthValue(name) else { return nil }
        return (layout, column, name)
      }
    }
  }

  /// Gives these columns names that are found. Requires a write transaction.
  func renameTruthColumns() throws {
    let update = try connection.ownStatement(
      "UPDATE varve_column SET column_name = ? WHERE type = ? AND key = ?"
    )
    for (layout, column, name) in truthColumns {
      let fresh = "\(PhysicalNames.columnPrefix)\(column.keyNumber)"
      try connection.execute(
        """
        ALTER TABLE \(layout.table.quotedIdentifier) \
        RENAME COLUMN \(name.quotedIdentifier) TO \(fresh.quotedIdentifier)
        """
      )
      update.bind(1, text: fresh)
      update.bind(2, layout.typeNumber)
      update.bind(3, column.keyNumber)
      try update.run()
    }
    try noteChange()
    copy = try load(version: version)
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
  ///
  /// - Parameter value: what is there; nil for the elements of a to-many property.
  func noteSpill(_ key: PropertyKey, of type: EntityType, _ value: Value?) throws {
    guard let number = copy.typeNumbers[type] else { return }
    try noteSpill(key, ofType: number, value)
  }

  func noteSpill(_ key: PropertyKey, ofType typeNumber: Int64, _ value: Value?) throws {
    guard let column = copy.layouts[typeNumber]?.column(key) else { return }
    let hasOtherKinds = value.map { !column.isOfKind($0) } ?? true
    guard !column.isSpilled || (hasOtherKinds && !column.hasOtherKinds) else { return }
    let update = try connection.statement(
      "UPDATE varve_column SET spilled = ? WHERE type = ? AND key = ?"
    )
    update.bind(1, hasOtherKinds ? ColumnLayout.spillOfOtherKinds : ColumnLayout.spillOfSameKind)
    update.bind(2, typeNumber)
    update.bind(3, column.keyNumber)
    try update.run()
    try change { $0.noteSpill(key, ofType: typeNumber, hasOtherKinds: hasOtherKinds) }
  }

  /// Records that the rows of a type are no longer in creation order.
  func noteDisorder(of typeNumber: Int64) throws {
    guard var layout = copy.layouts[typeNumber], layout.isInOrder else { return }
    layout.isInOrder = false
    let update = try connection.statement("UPDATE varve_type SET in_order = 0 WHERE number = ?")
    update.bind(1, typeNumber)
    try update.run()
    try change { $0.set(layout) }
  }

  /// Records the pairing of an add in the catalogue. The table is created with the first.
  func notePaired(_ key: Int64, _ form: Catalogue.PairForm) throws {
    guard copy.pairForms[key]?.contains(form) != true else { return }
    try connection.execute(Schema.paired)
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_paired (key, form, kind, name) VALUES (?, ?, ?, ?)"
    )
    insert.reserve(form.relation.name.text.utf8.count)
    insert.bind(1, key)
    insert.bind(2, Int64(form.isAtSource ? 1 : 2))
    insert.bind(3, Int64(form.relation.kind.rawValue))
    insert.bind(4, text: form.relation.name.text)
    try insert.run()
    try change { $0.pairForms[key, default: []].insert(form) }
  }

  /// Records which part of the store has not arrived yet.
  func setAwaits(_ awaits: Catalogue.Awaits) throws {
    guard copy.awaits != awaits else { return }
    try connection.setMeta("awaits", awaits.rawValue)
    try change { $0.awaits = awaits }
  }
}
