import VarveCore
import VarveSQL

/// A statement that inserts rows of one type and shape, and where each value goes.
final class InsertionPlan {
  /// The keys of the source, and the catalogue's version, it was made for.
  let columns: [Creations.Column]
  let version: Int64
  let layout: TableLayout
  let statement: Statement
  /// For each key of the source: its column in the layout, and its parameter if it has one.
  let targets: [(column: ColumnLayout, parameter: Int32?)]
  /// The same in short: what a value must be to be bound without another look.
  let places: [Place]

  /// Where a value goes, for each key of the source.
  struct Place {
    /// Its parameter, or 0.
    var parameter: Int32
    var kind: Value.Kind
    /// Whether a value of that kind says all there is to say: its semantic type is the column's.
    var isPlain: Bool
  }

  init(
    _ columns: [Creations.Column],
    _ targets: [(column: ColumnLayout, parameter: Int32?)],
    of layout: TableLayout,
    version: Int64,
    statement: Statement
  ) {
    self.columns = columns
    self.targets = targets
    self.layout = layout
    self.version = version
    self.statement = statement
    places = zip(targets, columns).map { target, source in
      Place(
        parameter: target.parameter ?? 0,
        kind: target.column.kind,
        isPlain: target.parameter != nil
          && target.column.semanticType.isSame(as: source.semanticType)
      )
    }
  }

  /// Parameters of the fixed columns.
  static let row: Int32 = 1
  static let id: Int32 = 2
  static let datestamp: Int32 = 3
  static let modified: Int32 = 4
  static let ordinal: Int32 = 5
  static let more: Int32 = 6
}

extension Session {
  /// The plan for rows of a type with these keys; tables and columns are made where they miss.
  func insertionPlan(
    _ type: EntityType,
    _ columns: [Creations.Column],
    kind: (Int) -> Value.Kind?
  ) throws -> InsertionPlan {
    if let plan = lastPlan, plan.version == catalogue.version, plan.layout.type == type,
      plan.columns == columns
    {
      return plan
    }
    var layout = try ensureLayout(type)
    var targets: [(column: ColumnLayout, parameter: Int32?)] = []
    var names: [String] = []
    for (index, source) in columns.enumerated() {
      let kind = kind(index) ?? .string
      let column = try ensureColumn(
        source.key,
        of: &layout,
        kind: kind,
        semanticType: source.semanticType
      )
      if let name = column.column {
        names.append(name.quotedIdentifier)
        targets.append((column, Int32(6 + names.count)))
      } else {
        targets.append((column, nil))
      }
    }
    let all = PhysicalNames.fixedColumns + names
    let marks = repeatElement("?", count: all.count).joined(separator: ", ")
    let sql = """
      INSERT INTO \(layout.table.quotedIdentifier) (\(all.joined(separator: ", "))) VALUES (\(marks))
      """
    let plan = InsertionPlan(
      columns,
      targets,
      of: layout,
      version: catalogue.version,
      statement: try connection.statement(sql)
    )
    lastPlan = plan
    return plan
  }

  /// Inserts one row; values are those of the plan's keys, in order, from a place on.
  func insertRow(
    _ plan: InsertionPlan,
    row: Int64,
    id: EntityID,
    datestamp: HybridTime,
    modified: HybridTime?,
    ordinal: Int,
    values: PackedValues,
    at first: Int,
    overflow extra: Overflow? = nil
  ) throws {
    let statement = plan.statement
    statement.reserve(Self.rowByteCount)
    statement.bind(InsertionPlan.row, row)
    statement.bind(InsertionPlan.id, id)
    statement.bind(InsertionPlan.datestamp, datestamp.rawValue)
    statement.bind(InsertionPlan.modified, modified?.rawValue)
    statement.bind(InsertionPlan.ordinal, Int64(ordinal))
    var overflow = extra
    try values.withStorage { slots, bytes in
      for index in plan.places.indices {
        let place = plan.places[index]
        let slot = slots[first + index]
        if place.isPlain, slot.kind == place.kind, statement.bind(place.parameter, slot, in: bytes)
        {
          continue
        }
        guard let value = values[first + index] else {
          if place.parameter > 0 { statement.bindNull(place.parameter) }
          continue
        }
        let target = plan.targets[index]
        try bind(
          value,
          plan.columns[index].semanticType,
          target,
          statement,
          &overflow,
          plan.layout.type
        )
      }
      if let bytes = overflow?.encoded {
        statement.bind(InsertionPlan.more, blob: bytes)
      } else {
        statement.bindNull(InsertionPlan.more)
      }
      try statement.run()
    }
  }

  /// Texts and blobs of a row up to this size are copied once; SQLite copies the others itself.
  private static let rowByteCount = 8_192

  /// Binds a value that does not simply stand in its column, or says in the overflow what it is.
  private func bind(
    _ value: Value,
    _ semanticType: String,
    _ target: (column: ColumnLayout, parameter: Int32?),
    _ statement: Statement,
    _ overflow: inout Overflow?,
    _ type: EntityType
  ) throws {
    let column = target.column
    let stays = column.holds(value)
    if let parameter = target.parameter {
      if stays { statement.bind(parameter, value) } else { statement.bindNull(parameter) }
    }
    guard !stays || !semanticType.isSame(as: column.semanticType) else { return }
    overflow = overflow ?? Overflow()
    overflow?.entries[column.keyNumber] = .init(
      semanticType: semanticType,
      value: stays ? nil : value
    )
    try noteSpill(column.key, of: type)
  }

  /// Creates the rows of a table that nobody named before; answers the indices of the others.
  ///
  /// - Parameters:
  ///   - block: the block the next row stands in.
  ///   - ordinal: the ordinal of a row of the table.
  func create(
    _ table: Creations,
    block: () throws -> Int64,
    info: CommitInfo,
    ordinal: (Int) -> Int
  ) throws -> [Int] {
    let plan = try insertionPlan(table.type, table.columns) { column in
      stride(from: column, to: table.values.count, by: table.columns.count).lazy
        .compactMap { table.values.kind(at: $0) }.first
    }
    let datestamp = table.time ?? info.summary.time
    if let time = table.time {
      log.ownTime = max(log.ownTime, time)
    } else {
      log.stampedCommit = info.n
    }
    let width = table.columns.count
    var known: [Int] = []
    var last: Int?
    func placement(_ ordinal: Int) -> CellOrder {
      CellOrder(time: datestamp, commit: info.order, ordinal: ordinal)
    }
    for index in table.ids.indices {
      let row = log.nextRow
      let id = table.ids[index]
      guard try addIdentity(id, row: row, type: plan.layout.typeNumber, born: try block()) else {
        known.append(index)
        continue
      }
      log.nextRow += 1
      let number = ordinal(index)
      try insertRow(
        plan,
        row: row,
        id: id,
        datestamp: datestamp,
        modified: nil,
        ordinal: number,
        values: table.values,
        at: index * width
      )
      if last == nil { try notePlacement(of: plan.layout, at: placement(number)) }
      last = number
    }
    // Those between stand in order, as they are of one time and commit.
    if let last { placements[plan.layout.typeNumber] = placement(last) }
    return known
  }

  /// Notes where a row was added at the end of a table, and whether that keeps creation order.
  func notePlacement(of layout: TableLayout, at placement: CellOrder) throws {
    let number = layout.typeNumber
    if let last = placements[number] {
      if placement < last { try noteDisorder(of: number) } else { placements[number] = placement }
      return
    }
    placements[number] = placement
    guard catalogue.layouts[number]?.isInOrder == true else { return }
    if let before = try placementOfLastRow(of: layout, except: log.nextRow - 1), placement < before
    {
      try noteDisorder(of: number)
    }
  }

  private func placementOfLastRow(of layout: TableLayout, except row: Int64) throws -> CellOrder? {
    let statement = try connection.statement(
      """
      SELECT t.datestamp, t.ordinal, i.born FROM \(layout.table.quotedIdentifier) AS t
      JOIN varve_identity AS i ON i.id = t.id WHERE t.row < ? ORDER BY t.row DESC LIMIT 1
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let info = try commit(ofBlock: statement.int(2))
    return CellOrder(
      time: HybridTime(rawValue: statement.int(0)),
      commit: info.order,
      ordinal: Int(statement.int(1))
    )
  }
}
