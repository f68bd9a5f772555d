import VarveCore

/// The history of to-many properties, adds and their removals, which touches do not contain.
extension Session {
  /// Returns the adds and removals that count, greatest first.
  func memberHistory(
    of source: EntityID,
    key: PropertyKey?,
    _ filter: HistoryFilter
  ) throws -> [Version] {
    var cells: [MemberCell] = []
    var size = ResultSize()
    let adds =
      try key.map { try links(from: source, relation: Relation(.member, $0)) }
      ?? links(from: source, kind: .member)
    for link in adds {
      let known = cells.count
      try add(link, to: &cells, filter)
      if link.removed != nil { try addRemovals(of: link, to: &cells, filter) }
      for cell in cells[known...] { try size.add(cell.content, of: cell.info.summary) }
    }
    return cells.sorted { $1.order < $0.order }.map(\.version)
  }

  private func add(
    _ link: Link,
    to cells: inout [MemberCell],
    _ filter: HistoryFilter
  ) throws {
    let info = try log.commit(ofBlock: link.commit)
    guard link.time <= filter.cutoff, try filter.includes(info) else { return }
    cells.append(
      MemberCell(
        order: try order(of: link),
        info: info,
        content: .add(link.relation, target: link.target, position: link.position)
      )
    )
  }

  /// Adds the removals of a link. A removal that names several adds of a target is listed once.
  private func addRemovals(
    of link: Link,
    to cells: inout [MemberCell],
    _ filter: HistoryFilter
  ) throws {
    let removals = try connection.ownStatement(
      "SELECT time, b, ordinal FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    removals.bind(1, link.commit)
    removals.bind(2, Int64(link.ordinal))
    while try removals.step() {
      let time = HybridTime(rawValue: removals.int(0))
      let info = try log.commit(ofBlock: removals.int(1))
      guard time <= filter.cutoff, try filter.includes(info) else { continue }
      let order = CellOrder(time: time, commit: info.order, ordinal: Int(removals.int(2)))
      let add = try addID(of: link)
      if let known = cells.firstIndex(where: { $0.order == order }) {
        cells[known].name(add)
      } else {
        let content = Cell.Content.remove(link.relation, target: link.target, adds: [add])
        cells.append(MemberCell(order: order, info: info, content: content))
      }
    }
  }
}

/// An add or a removal, with its place.
private struct MemberCell {
  let order: CellOrder
  let info: CommitInfo
  var content: Cell.Content

  var version: Version {
    Version(content: content, time: order.time, commit: info.summary, ordinal: order.ordinal)
  }

  /// Adds another add to those that a removal names.
  mutating func name(_ add: AddID) {
    guard case .remove(let relation, let target, let adds) = content else { return }
    content = .remove(relation, target: target, adds: adds + [add])
  }
}
