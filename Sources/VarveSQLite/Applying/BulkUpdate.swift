import VarveCore

/// Writes the same values to all entities of a query: one statement reads the rows, and one changes
/// them.
///
/// It covers the usual case, in which every written cell is the greatest of its property, and every
/// value is in a column of its own. Otherwise the caller writes one entity after the other.
struct BulkUpdate {
  /// A property to write.
  private struct Target {
    let content: Cell.Content
    let key: PropertyKey
    let state: PropertyState
    /// The column; nil if no entity of the type has had the property.
    var column: ColumnLayout?
  }

  /// An entity to change.
  private struct Found {
    let row: Int64
    let id: EntityID
    /// The targets that it differs from, one bit for each.
    let differences: UInt64
  }

  private var targets: [Target] = []
  private let layout: TableLayout
  private let plan: QueryPlan
  /// The targets that decide which entities change, one bit for each.
  private var deciding: UInt64 = 0
  private var found: [Found] = []
  /// The rows of the query that have the values already; nil if they are too many to be listed, or if
  /// the query's condition does not select its rows while rows change.
  private var unchanged: [Int64]?

  /// The maximum number of rows that are listed in a statement.
  private static let listCapacity = 1_000

  /// Creates the update, or returns nil if it must be made one by one.
  init?(
    _ contents: [Cell.Content],
    with companions: [Cell.Content],
    _ query: Query,
    _ plan: QueryPlan,
    in session: Session
  ) throws {
    guard plan.types == nil, plan.isPresent, contents.count + companions.count <= 64,
      let layout = session.catalogue.layout(query.type)
    else { return nil }
    let isSearched = try !session.searchedKeys(of: query.type).isEmpty
    (self.layout, self.plan) = (layout, plan)
    unchanged = isSearched ? nil : []
    for (index, content) in (contents + companions).enumerated() {
      guard let target = Self.target(content, layout, session) else { return nil }
      // A property that no entity has had need not be removed.
      if target.column == nil, target.state.value == nil { continue }
      if index < contents.count { deciding |= 1 << UInt64(targets.count) }
      targets.append(target)
    }
  }

  private static func target(
    _ content: Cell.Content,
    _ layout: TableLayout,
    _ session: Session
  ) -> Target? {
    guard let key = content.key else { return nil }
    let state = PropertyState(content)
    let number = session.catalogue.keyNumbers[key]
    guard !state.isCollection, number.map({ session.catalogue.pairForms[$0] == nil }) ?? true
    else { return nil }
    let column = layout.column(key)
    if let column {
      guard column.column != nil, !column.isSpilled, column.holds(state) else { return nil }
    } else {
      guard layout.keyColumnCount + 64 < PhysicalNames.maximumColumnCount,
        state.value?.isNotComparable != true
      else { return nil }
    }
    return Target(content: content, key: key, state: state, column: column)
  }

  /// Reads the entities to change. Returns whether there are any.
  mutating func read(_ query: Query, _ connection: Connection) throws -> Bool {
    guard deciding != 0 else { return false }
    let alias = plan.main.alias
    var columns = ["\(alias).row", "\(alias).id"]
    var wanted: [WantedValue] = []
    for target in targets {
      let position = target.column == nil ? nil : Int32(columns.count)
      wanted.append(WantedValue(target.state.value, target.column?.kind, at: position))
      if let name = target.column?.column { columns.append("\(alias).\(name.quotedIdentifier)") }
    }
    let statement = try connection.query(try plan.compiler.select(columns), isShared: false)
    let mayRepeat = !query.joins.isEmpty
    var seen: Set<Int64> = []
    while try statement.step() {
      let row = statement.int(0)
      // A join may repeat a row.
      if mayRepeat, !seen.insert(row).inserted { continue }
      var differences: UInt64 = 0
      for index in wanted.indices where try !wanted[index].isPresent(in: statement) {
        differences |= 1 << UInt64(index)
      }
      if differences & deciding == 0 {
        noteUnchanged(row)
      } else {
        found.append(Found(row: row, id: try statement.id(1), differences: differences))
      }
    }
    return !found.isEmpty
  }

  private mutating func noteUnchanged(_ row: Int64) {
    guard let count = unchanged?.count else { return }
    if count < Self.listCapacity { unchanged?.append(row) } else { unchanged = nil }
  }

  /// Writes the cells and the rows. Returns the number of entities.
  mutating func write(
    to session: Session,
    _ pending: PendingCommit,
    _ written: (EntityID, Cell.Content) -> Void
  ) throws -> Int {
    try addColumns(session)
    let stamp = pending.info.summary.time
    let contents = targets.map(\.content)
    let numbers = targets.map { $0.column?.keyNumber ?? 0 }
    for entity in found {
      for index in contents.indices where entity.differences & 1 << UInt64(index) != 0 {
        try session.log.sealIfFull()
        let block = pending.openBlock
        let ordinal = pending.builder.add(contents[index], entity: entity.id, time: nil)
        try session.touches.add(
          row: entity.row,
          key: numbers[index],
          time: stamp,
          block: block,
          ordinal: ordinal
        )
        written(entity.id, contents[index])
      }
    }
    session.log.noteCells(at: nil, n: pending.n)
    try writeRows(session.connection, modified: stamp)
    return found.count
  }

  private mutating func addColumns(_ session: Session) throws {
    for (index, target) in targets.enumerated() where target.column == nil {
      targets[index].column = try session.addColumn(
        CatalogueTables.NewKey(
          key: target.key,
          kind: target.state.value?.kind ?? .reference,
          semanticType: target.state.semanticType
        ),
        ofType: layout.typeNumber
      )
    }
  }

  /// Changes the rows: by the query's own condition if all or most of its rows change, otherwise by
  /// their numbers.
  private func writeRows(_ connection: Connection, modified: HybridTime) throws {
    let names = targets.map { "\(($0.column?.column ?? "").quotedIdentifier) = ?" }
    let time = "modified = \(TableLayout.later("\(modified.rawValue)"))"
    let list = (names + [time]).joined(separator: ", ")
    let places = SQLFragment(list, Array(repeating: .null, count: targets.count))
    if let unchanged, let sql = try plan.compiler.update(set: places, but: unchanged) {
      let statement = try connection.ownStatement(sql.text)
      bind(statement, sql.bindings)
      try statement.run()
      guard connection.changes == Int32(clamping: found.count) else {
        throw connection.damaged("\(connection.changes) rows changed instead of \(found.count)")
      }
      return
    }
    let table = layout.table.quotedIdentifier
    let statement = try connection.ownStatement("UPDATE \(table) SET \(list) WHERE row = ?")
    bind(statement, places.bindings + [.null])
    let last = Int32(targets.count + 1)
    for entity in found {
      statement.bind(last, entity.row)
      try statement.run()
    }
  }

  private func bind(_ statement: Statement, _ bindings: [SQLValue]) {
    statement.reserve(0)
    statement.bind(bindings)
    for (index, target) in targets.enumerated() {
      if let value = target.state.value { statement.bind(Int32(index + 1), value) }
    }
  }
}

/// The value that a property is to have, for the comparison with a row's.
private struct WantedValue {
  private let value: Value?
  private let kind: Value.Kind
  /// The position of the column among those that are read; nil if there is none yet.
  private let position: Int32?

  init(_ value: Value?, _ kind: Value.Kind?, at position: Int32?) {
    self.value = value
    self.kind = kind ?? .reference
    self.position = position
  }

  /// Returns whether the row has the value already.
  func isPresent(in row: Statement) throws -> Bool {
    guard let position else { return value == nil }
    switch value {
    case nil: return row.isNull(position)
    case .int(let number): return row.optionalInteger(position) == number
    default: return try row.value(position, kind) == value
    }
  }
}

extension SessionWriter {
  func write(
    _ contents: [Cell.Content],
    with companions: [Cell.Content],
    toAllOf query: Query,
    _ written: (EntityID, Cell.Content) -> Void
  ) async throws -> Int? {
    try recordingFailure { try admission?.require(query.type) }
    guard session.applying.unseen.isEmpty, session.applying.deferred == nil, !mayHoldLaterTimes
    else { return nil }
    guard let plan = try plan(query) else { return 0 }
    guard var update = try BulkUpdate(contents, with: companions, query, plan, in: session) else {
      return nil
    }
    guard try update.read(query, session.connection) else { return 0 }
    return try recordingFailure { try update.write(to: session, pending, written) }
  }
}
