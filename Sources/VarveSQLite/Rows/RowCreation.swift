import VarveCore

/// Creates the rows of a table, many at a time.
extension Session {
  /// Creates the rows of a table whose identifiers are unknown. Returns the indices of the others.
  ///
  /// - Parameters:
  ///   - block: returns the block of the next row.
  ///   - isTogether: returns whether some rows, from the next one on, are certainly in one block.
  ///   - ordinal: returns the ordinal of a row of the table.
  func create(
    _ table: Creations,
    block: () throws -> Int64,
    isTogether: (Range<Int>) -> Bool = { _ in true },
    info: CommitInfo,
    ordinal: (Int) -> Int
  ) throws -> [Int] {
    let plan = try insertionPlan(table.type, table.columns) { column in
      stride(from: column, to: table.values.count, by: table.columns.count).lazy
        .compactMap { table.values.kind(at: $0) }.first
    }
    let datestamp = table.time ?? info.summary.time
    log.noteCells(at: table.time, n: info.n)
    var known: [Int] = []
    var last: Int?
    func row(_ index: Int, _ number: Int64) throws -> NewRow {
      let place = ordinal(index)
      if last == nil {
        let placement = CellOrder(time: datestamp, commit: info.order, ordinal: place)
        try notePlacement(of: plan.layout, row: number, at: placement)
      }
      last = place
      return NewRow(
        number: number,
        id: table.ids[index],
        datestamp: datestamp,
        ordinal: place,
        place: index * table.columns.count
      )
    }
    var index = 0
    // Rows before this index are inserted one by one, because some of them are known.
    var apart = 0
    while index < table.ids.count {
      let born = try block()
      let first = log.state.nextRow
      let group = index..<index + InsertionPlan.groupCount
      if index >= apart, group.upperBound <= table.ids.count, isTogether(group),
        let statement = try plan.grouped(connection)
      {
        let ids = table.ids[group]
        if try addIdentities(ids, row: first, type: plan.layout.typeNumber, born: born) {
          _ = log.takeRows(group.count)
          let rows = try group.map { try row($0, first + Int64($0 - group.lowerBound)) }
          try insert(rows, of: table.values, plan, statement)
          index = group.upperBound
          continue
        }
        apart = group.upperBound
      }
      if try addIdentity(table.ids[index], row: first, type: plan.layout.typeNumber, born: born) {
        _ = log.takeRow()
        try insert(try row(index, first), of: table.values, plan)
      } else {
        known.append(index)
      }
      index += 1
    }
    // The rows in between are in order, because they share time and commit.
    if let last {
      let placement = CellOrder(time: datestamp, commit: info.order, ordinal: last)
      rows.placements[plan.layout.typeNumber] = placement
    }
    return known
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
