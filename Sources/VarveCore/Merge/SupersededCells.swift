/// Which cells of a property no present or later moment needs.
///
/// Given are the cells of one property in the commits of a horizon, at times up to it. One can be
/// folded where two things hold:
/// - another is greater (R4) *and* was written later (R15): at every time and frontier from the
///   horizon on at which the first counts, the second counts too, and hides it, re-creations or not;
/// - another's commit had seen it: then it is no party to a conflict, and whatever it had seen was
///   seen by one that stays.
///
/// Both are orders in which every cell that goes is below one that stays, so it does not matter how
/// many go at once, or that others follow later.
package enum SupersededCells {
  /// The indices of the cells that can be folded.
  ///
  /// - Parameter hasSeen: whether the first cell's commit, another one, had seen the second's.
  /// - Complexity: O(n log n), and n questions for each cell nobody had seen.
  package static func indices<Element>(
    among cells: [Element],
    order: (Element) throws -> CellOrder,
    hasSeen: (Element, Element) throws -> Bool
  ) rethrows -> [Int] {
    guard cells.count > 1 else { return [] }
    let orders = try cells.map(order)
    let hidden = hidden(orders)
    guard !hidden.isEmpty else { return [] }
    var unseen: [Int] = []
    var folded: [Int] = []
    for index in cells.indices.sorted(by: { orders[$1].isWritten(before: orders[$0]) }) {
      let isSeen = try unseen.contains { later in
        try orders[later].commit == orders[index].commit || hasSeen(cells[later], cells[index])
      }
      if !isSeen { unseen.append(index) }
      if isSeen, hidden.contains(index) { folded.append(index) }
    }
    return folded
  }

  /// Those of which another is greater and written later.
  private static func hidden(_ orders: [CellOrder]) -> Set<Int> {
    var hidden: Set<Int> = []
    var lastWritten: CellOrder?
    for index in orders.indices.sorted(by: { orders[$1] < orders[$0] }) {
      if let lastWritten, orders[index].isWritten(before: lastWritten) {
        hidden.insert(index)
      } else {
        lastWritten = orders[index]
      }
    }
    return hidden
  }
}

extension CellOrder {
  fileprivate func isWritten(before other: CellOrder) -> Bool { other.isWritten(after: self) }
}
