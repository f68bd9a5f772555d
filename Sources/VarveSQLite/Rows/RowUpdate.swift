import VarveCore
import VarveSQL

/// What a property becomes.
struct PropertyState {
  /// Nil where the property is removed.
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
  /// Whether the column alone says what a property is, where the overflow says nothing of it.
  fileprivate func holds(_ state: PropertyState) -> Bool {
    guard let value = state.value else { return !state.isCollection }
    return holds(value) && state.semanticType.isSame(as: semanticType)
  }
}

extension Session {
  /// Sets a property in the row of a live entity.
  ///
  /// - Parameter modified: the row's new time of change, which is later than the one it has.
  func writeProperty(
    _ key: PropertyKey,
    _ state: PropertyState,
    of identity: Identity,
    modified: HybridTime
  ) throws {
    // Of many updates most are of one property.
    if let last = lastColumn, last.typeNumber == identity.type, last.key == key,
      last.version == catalogue.version, let row = identity.row, last.column.holds(state)
    {
      return try set(last, state.value, modified, row: row)
    }
    guard let number = identity.type, var layout = catalogue.layouts[number], let row = identity.row
    else { throw connection.damaged("entity \(identity.id) has no type") }
    guard state.value != nil || state.isCollection || layout.column(key) != nil else {
      return try setModified(modified, row: row, layout)
    }
    let column = try ensureColumn(
      key,
      of: &layout,
      kind: state.value?.kind ?? .reference,
      semanticType: state.value == nil ? Value.Kind.reference.name : state.semanticType
    )
    if !column.isSpilled, column.column != nil, column.holds(state) {
      return try set(columnUpdate(column, layout), state.value, modified, row: row)
    }
    try writeSpilled(column, state, modified, row: row, layout)
  }

  private func set(
    _ update: ColumnUpdate,
    _ value: Value?,
    _ modified: HybridTime,
    row: Int64
  ) throws {
    let statement = update.statement
    lastColumn = update
    statement.reserve(value?.byteCountEstimate() ?? 0)
    if let value { statement.bind(1, value) } else { statement.bindNull(1) }
    statement.bind(2, modified.rawValue)
    statement.bind(3, row)
    try statement.run()
  }

  /// The statement that sets one column, made once.
  private func columnUpdate(_ column: ColumnLayout, _ layout: TableLayout) throws -> ColumnUpdate {
    let key = ColumnUpdateKey(type: layout.typeNumber, key: column.keyNumber)
    if let known = columnUpdates[key], known.version == catalogue.version { return known }
    let name = column.column ?? ""
    let statement = try connection.ownStatement(
      """
      UPDATE \(layout.table.quotedIdentifier) \
      SET \(name.quotedIdentifier) = ?, modified = max(?, datestamp) WHERE row = ?
      """
    )
    let update = ColumnUpdate(
      column,
      ofType: layout.typeNumber,
      version: catalogue.version,
      statement
    )
    columnUpdates[key] = update
    return update
  }

  private func setModified(_ modified: HybridTime, row: Int64, _ layout: TableLayout) throws {
    let statement = try connection.statement(
      "UPDATE \(layout.table.quotedIdentifier) SET modified = max(?, datestamp) WHERE row = ?"
    )
    statement.bind(1, modified.rawValue)
    statement.bind(2, row)
    try statement.run()
  }

  /// Writes a property of which some row says something in its overflow column.
  private func writeSpilled(
    _ column: ColumnLayout,
    _ state: PropertyState,
    _ modified: HybridTime,
    row: Int64,
    _ layout: TableLayout
  ) throws {
    var overflow = try overflow(row: row, layout)
    let stays = state.value.map { column.holds($0) } ?? false
    if let value = state.value, !stays {
      overflow.entries[column.keyNumber] = .init(semanticType: state.semanticType, value: value)
    } else if state.isCollection {
      overflow.entries[column.keyNumber] = .init(semanticType: "", isCollection: true)
    } else if state.value != nil, !state.semanticType.isSame(as: column.semanticType) {
      overflow.entries[column.keyNumber] = .init(semanticType: state.semanticType)
    } else {
      overflow.entries[column.keyNumber] = nil
    }
    if overflow.entries[column.keyNumber] != nil { try noteSpill(column.key, of: layout.type) }
    let assignment = column.column.map { "\($0.quotedIdentifier) = ?3, " } ?? ""
    let statement = try connection.statement(
      """
      UPDATE \(layout.table.quotedIdentifier) SET \(assignment)more = ?1, modified = max(?2, datestamp) \
      WHERE row = ?4
      """
    )
    let bytes = overflow.encoded
    statement.reserve((bytes?.count ?? 0) + (state.value?.byteCountEstimate() ?? 0))
    if let bytes { statement.bind(1, blob: bytes) } else { statement.bindNull(1) }
    statement.bind(2, modified.rawValue)
    if stays, let value = state.value { statement.bind(3, value) } else { statement.bindNull(3) }
    statement.bind(4, row)
    try statement.run()
  }

  func overflow(row: Int64, _ layout: TableLayout) throws -> Overflow {
    let statement = try connection.statement(
      "SELECT more FROM \(layout.table.quotedIdentifier) WHERE row = ?"
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return Overflow() }
    return try Overflow(statement.bytes(0))
  }

  /// The time a row last changed, or nil where there is no row.
  func modified(row: Int64, _ layout: TableLayout) throws -> HybridTime? {
    let statement = try connection.statement(
      """
      SELECT coalesce(modified, datestamp) FROM \(layout.table.quotedIdentifier) WHERE row = ?
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    return try statement.step() ? HybridTime(rawValue: statement.int(0)) : nil
  }

  func deleteRow(of identity: Identity) throws {
    guard let number = identity.type, let layout = catalogue.layouts[number], let row = identity.row
    else { return }
    let statement = try connection.statement(
      "DELETE FROM \(layout.table.quotedIdentifier) WHERE row = ?"
    )
    statement.bind(1, row)
    try statement.run()
  }
}
