import VarveCore

/// The known order of a past state's rows.
///
/// Rows are read by number, which is the order of creation among present rows of most types (R5). A
/// row that the present lacks, or that had another creation then, is compared with its neighbours.
struct PastOrder {
  /// The types with a row that is not known to be in order.
  private(set) var disordered: Set<Int64> = []
  /// The types that have had a row which the present lacks, or has by another creation.
  private var mixed: Set<Int64> = []
  /// The rows that were added since the last check.
  private var sure: [Int64: [Int64]] = [:]
  private var unsure: [Int64: [Int64]] = [:]

  /// Notes a row that counts now.
  ///
  /// - Parameter isSure: whether it is a present row by the same creation.
  mutating func insert(_ row: Int64, of type: Int64, isSure: Bool) {
    guard !disordered.contains(type) else { return }
    if !isSure {
      unsure[type, default: []].append(row)
    } else if mixed.contains(type) {
      sure[type, default: []].append(row)
    }
  }

  mutating func noteDisorder(of type: Int64) { disordered.insert(type) }

  /// Returns the rows to check, and forgets them.
  mutating func takeUnchecked() -> [Int64: [Int64]] {
    defer { (sure, unsure) = ([:], [:]) }
    mixed.formUnion(unsure.keys)
    return sure.merging(unsure) { $0 + $1 }
  }
}

extension Session {
  /// Checks the places of added rows among their neighbours.
  func checkOrder(_ past: inout PastTables) throws {
    for (type, rows) in past.order.takeUnchecked() {
      guard let layout = past.layouts[type], layout.isInOrder else { continue }
      for row in rows where try !isInOrder(row, layout) {
        past.order.noteDisorder(of: type)
        break
      }
    }
  }

  private func isInOrder(_ row: Int64, _ layout: TableLayout) throws -> Bool {
    guard let own = try place("row = ?", row, layout) else { return true }
    if let before = try place("row < ? ORDER BY row DESC LIMIT 1", row, layout), own < before {
      return false
    }
    guard let after = try place("row > ? ORDER BY row LIMIT 1", row, layout) else { return true }
    return own <= after
  }

  /// Returns the place in the order of creation of the row that a condition finds.
  private func place(
    _ condition: String,
    _ row: Int64,
    _ layout: TableLayout
  ) throws -> CellOrder? {
    let statement = try connection.statement(
      """
      SELECT datestamp, varve_born, ordinal, row FROM \(PastTables.source(layout)) WHERE \(condition)
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return CellOrder(
      time: HybridTime(rawValue: statement.int(0)),
      commit: try log.commit(ofBlock: statement.int(1)).order,
      ordinal: Int(statement.int(2))
    )
  }
}
