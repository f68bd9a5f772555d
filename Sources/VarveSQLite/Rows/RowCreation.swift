import VarveCore

/// Creates the rows of a table, many at a time.
extension Session {
  /// Creates the rows of a table whose identifiers are unknown. Returns the indices of the others.
  ///
  /// - Parameters:
  ///   - block: returns the block of the next row.
  ///   - isTogether: returns whether some rows, from the next one on, are certainly in one block.
  ///   - begin: called with rows that are about to be inserted, in order. Returns the ordinal of
  ///     the first, which the others follow, or nil if they have those of the table.
  func create(
    _ table: Creations,
    block: () throws -> Int64,
    isTogether: (Range<Int>) -> Bool = { _ in true },
    info: CommitInfo,
    begin: (Range<Int>) -> Int? = { _ in nil }
  ) throws -> [Int] {
    let plan = try insertionPlan(table.type, table.columns) { column in
      stride(from: column, to: table.values.count, by: table.columns.count).lazy
        .compactMap { table.values.kind(at: $0) }.first
    }
    log.noteCells(at: table.time, n: info.n)
    var run = CreationRun(table, plan, info)
    var known: [Int] = []
    var index = 0
    // Rows before this index are inserted one by one, because some of them are known.
    var apart = 0
    while index < table.ids.count {
      let born = try block()
      let group = index..<index + InsertionPlan.groupCount
      if index >= apart, group.upperBound <= table.ids.count, isTogether(group),
        let statement = try plan.grouped(connection)
      {
        if try insert(group, of: &run, statement, born: born, begin) {
          index = group.upperBound
          continue
        }
        apart = group.upperBound
      }
      if try !insert(index, of: &run, born: born, begin) { known.append(index) }
      index += 1
    }
    // The rows in between are in order, because they share time and commit.
    if let last = run.last { rows.placements[plan.layout.typeNumber] = run.placement(last) }
    return known
  }

  /// Inserts rows by one statement. Returns false, and inserts none, if any identifier is known.
  private func insert(
    _ group: Range<Int>,
    of run: inout CreationRun,
    _ statement: Statement,
    born: Int64,
    _ begin: (Range<Int>) -> Int?
  ) throws -> Bool {
    let (first, type) = (log.state.nextRow, run.plan.layout.typeNumber)
    let ids = run.table.ids[group]
    guard try addIdentities(ids, row: first, type: type, born: born) else { return false }
    _ = log.takeRows(group.count)
    let ordinal = begin(group)
    let rows = try group.map { index in
      let step = index - group.lowerBound
      return try row(
        index,
        of: &run,
        number: first + Int64(step),
        ordinal.map { $0 + step } ?? run.table.ordinals[index]
      )
    }
    try insert(rows, of: run.table.values, run.plan, statement)
    return true
  }

  /// Inserts a row. Returns false if its identifier is known.
  private func insert(
    _ index: Int,
    of run: inout CreationRun,
    born: Int64,
    _ begin: (Range<Int>) -> Int?
  ) throws -> Bool {
    let (first, type) = (log.state.nextRow, run.plan.layout.typeNumber)
    guard try addIdentity(run.table.ids[index], row: first, type: type, born: born) else {
      return false
    }
    _ = log.takeRow()
    let ordinal = begin(index..<index + 1) ?? run.table.ordinals[index]
    let row = try row(index, of: &run, number: first, ordinal)
    try insert(row, of: run.table.values, run.plan)
    return true
  }

  private func row(
    _ index: Int,
    of run: inout CreationRun,
    number: Int64,
    _ ordinal: Int
  ) throws -> NewRow {
    if run.last == nil {
      try notePlacement(of: run.plan.layout, row: number, at: run.placement(ordinal))
    }
    run.last = ordinal
    return NewRow(
      number: number,
      id: run.table.ids[index],
      datestamp: run.datestamp,
      ordinal: ordinal,
      place: index * run.table.columns.count
    )
  }

  /// Records the place of a row added at the end of a table, and whether it preserves creation
  /// order.
  func notePlacement(of layout: TableLayout, row: Int64, at placement: CellOrder) throws {
    let number = layout.typeNumber
    if let last = rows.placements[number] {
      if placement < last {
        try catalogue.noteDisorder(of: number)
      } else {
        rows.placements[number] = placement
      }
      return
    }
    rows.placements[number] = placement
    guard catalogue.layouts[number]?.isInOrder == true else { return }
    if let before = try placementOfLastRow(of: layout, before: row), placement < before {
      try catalogue.noteDisorder(of: number)
    }
  }

  func placementOfLastRow(of layout: TableLayout, before row: Int64) throws -> CellOrder? {
    let statement = try connection.statement(
      """
      SELECT t.datestamp, t.ordinal, i.born FROM \(layout.table.quotedIdentifier) AS t
      JOIN varve_identity AS i ON i.id = t.id WHERE t.row < ? ORDER BY t.row DESC LIMIT 1
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let info = try log.commit(ofBlock: statement.int(2))
    return CellOrder(
      time: HybridTime(rawValue: statement.int(0)),
      commit: info.order,
      ordinal: Int(statement.int(1))
    )
  }
}

/// A table whose rows are being created.
private struct CreationRun {
  let table: Creations
  let plan: InsertionPlan
  let datestamp: HybridTime
  private let order: CommitOrder
  /// The ordinal of the last row created.
  var last: Int?

  init(_ table: Creations, _ plan: InsertionPlan, _ info: CommitInfo) {
    self.table = table
    self.plan = plan
    datestamp = table.time ?? info.summary.time
    order = info.order
  }

  /// The place in creation order of the row with an ordinal.
  func placement(_ ordinal: Int) -> CellOrder {
    CellOrder(time: datestamp, commit: order, ordinal: ordinal)
  }
}
