/// Finds the superseded cells of a property, which neither the present nor a later moment needs.
///
/// The input is the cells of one property in the commits of a horizon, at times up to it. A cell
/// can be folded if two conditions hold:
/// - another cell is greater (R4) *and* was written later (R15): at every time and frontier from
///   the horizon on at which the first counts, the second counts too and hides it, with or without
///   re-creations;
/// - another cell's commit had seen it: it is then not in conflict, and everything it had seen was
///   also seen by a cell that stays.
///
/// Both conditions are orders in which every folded cell is below one that stays. So it does not
/// matter how many are folded at once, or that others are folded later.
package enum SupersededCells {
  /// Returns the indices of the cells that can be folded.
  ///
  /// - Parameter hasSeen: whether the first cell's commit, which differs from the second's, had
  ///   seen the second's.
  /// - Complexity: O(n log n), and n calls of `hasSeen` for each cell that no other had seen.
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

  /// Returns the cells below another that is greater and was written later.
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
