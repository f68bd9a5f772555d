import VarveCore

/// The new state of a property.
struct PropertyState {
  /// The value, or nil if the property is removed.
  var value: Value?
  var semanticType = ""
  var isCollection = false

  static let removed = PropertyState()

  init(value: Value? = nil, semanticType: String = "", isCollection: Bool = false) {
    self.value = value
    self.semanticType = semanticType
    self.isCollection = isCollection
  }

  init(_ content: Cell.Content) {
    switch content {
    case .value(_, let value, let semanticType):
      self.init(value: value, semanticType: semanticType)
    case .collection: self.init(isCollection: true)
    default: self.init()
    }
  }
}

extension ColumnLayout {
  /// Returns whether the column alone can hold the state, if the overflow column has no entry for
  /// the property.
  func holds(_ state: PropertyState) -> Bool {
    guard let value = state.value else { return !state.isCollection }
    return holds(value) && state.semanticType.isSame(as: semanticType)
  }
}

extension Session {
  /// Sets a property in the row of a live entity.
  ///
  /// - Parameter modified: the row's new time of change, which must be later than its present one.
  func writeProperty(
    _ key: PropertyKey,
    _ state: PropertyState,
    of identity: Identity,
    modified: HybridTime
  ) throws {
    // Consecutive updates are mostly of one property.
    if let last = plans.column, last.typeNumber == identity.type, last.key == key,
      last.version == catalogue.version, let row = identity.row, last.column.holds(state)
    {
      return try set(last, state.value, modified, row: row)
    }
    guard let number = identity.type, let row = identity.row,
      let table = catalogue.layouts[number]?.table
    else { throw connection.damaged("entity \(identity.id) has no type") }
    let known = catalogue.layouts[number]?.column(key)
    guard state.value != nil || state.isCollection || known != nil else {
      return try setModified(modified, row: row, table)
    }
    let column =
      try known
      ?? addColumn(
        CatalogueTables.NewKey(
          key: key,
          kind: state.value?.kind ?? .reference,
          semanticType: state.value == nil ? Value.Kind.reference.name : state.semanticType
        ),
        ofType: number
      )
    if !column.isSpilled, column.column != nil, column.holds(state) {
      return try set(columnUpdate(column, number, table), state.value, modified, row: row)
    }
    try writeSpilled(column, state, modified, row: row, number, table)
  }

  private func set(
    _ update: ColumnUpdate,
    _ value: Value?,
    _ modified: HybridTime,
    row: Int64
  ) throws {
    plans.column = update
    try run(update.statement, value, modified, row: row)
  }

  private func run(
    _ statement: Statement,
    _ value: Value?,
    _ modified: HybridTime,
    row: Int64
  ) throws {
    // There is room for an identifier; larger values are bound without copying.
    statement.reserve(EntityID.maximumByteCount)
    statement.bind(2, modified.rawValue)
    statement.bind(3, row)
    try statement.withBound(1, value) { try statement.run() }
  }

  /// Returns the statement that sets one column, prepared on first use.
  private func columnUpdate(
    _ column: ColumnLayout,
    _ typeNumber: Int64,
    _ table: String
  ) throws -> ColumnUpdate {
    let key = ColumnUpdateKey(type: typeNumber, key: column.keyNumber)
    if let known = plans.columns[key], known.version == catalogue.version { return known }
    let name = column.column ?? ""
    let statement = try connection.ownStatement(
      """
      UPDATE \(table.quotedIdentifier) \
      SET \(name.quotedIdentifier) = ?1, modified = \(TableLayout.later("?2")) WHERE row = ?3
      """
    )
    let update = ColumnUpdate(
      column,
      ofType: typeNumber,
      version: catalogue.version,
      statement
    )
    plans.columns[key] = update
    return update
  }

  private func setModified(_ modified: HybridTime, row: Int64, _ table: String) throws {
    let statement = try connection.statement(
      "UPDATE \(table.quotedIdentifier) SET modified = \(TableLayout.later("?1")) WHERE row = ?2"
    )
    statement.bind(1, modified.rawValue)
    statement.bind(2, row)
    try statement.run()
  }

  /// Writes a property that has an entry in some row's overflow column.
  private func writeSpilled(
    _ column: ColumnLayout,
    _ state: PropertyState,
    _ modified: HybridTime,
    row: Int64,
    _ typeNumber: Int64,
    _ table: String
  ) throws {
    try buffer(row: row, table)
    let stays = state.value.map { column.holds($0) } ?? false
    let entry: Overflow.Entry?
    if let value = state.value, !stays {
      entry = .init(semanticType: state.semanticType, value: value)
    } else if state.isCollection {
      entry = .init(semanticType: "", isCollection: true)
    } else if state.value != nil, !state.semanticType.isSame(as: column.semanticType) {
      entry = .init(semanticType: state.semanticType)
    } else {
      entry = nil
    }
    if entry != nil {
      let value = state.isCollection ? nil : state.value
      try catalogue.noteSpill(column.key, ofType: typeNumber, value)
    }
    rows.buffered?.overflow.entries[column.keyNumber] = entry
    rows.buffered?.modified = modified
    guard column.column != nil else { return }
    let update = try columnUpdate(column, typeNumber, table)
    try run(update.statement, stays ? state.value : nil, modified, row: row)
  }

  func overflow(row: Int64, _ layout: TableLayout) throws -> Overflow {
    try writeBufferedRow()
    return try storedOverflow(row: row, layout.table)
  }

  /// Returns the time at which a row last changed, or nil if there is no row.
  func modified(row: Int64, _ layout: TableLayout) throws -> HybridTime? {
    let statement = try connection.statement(
      """
      SELECT coalesce(modified, datestamp) FROM \(layout.table.quotedIdentifier) WHERE row = ?
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let modified = HybridTime(rawValue: statement.int(0))
    guard let buffered = rows.buffered, buffered.row == row else { return modified }
    return max(modified, buffered.modified ?? modified)
  }

  func deleteRow(of identity: Identity) throws {
    guard let number = identity.type, let layout = catalogue.layouts[number], let row = identity.row
    else { return }
    try writeBufferedRow()
    let statement = try connection.statement(
      "DELETE FROM \(layout.table.quotedIdentifier) WHERE row = ?"
    )
    statement.bind(1, row)
    try statement.run()
  }
}
