import VarveCore

/// A cell of an entity's history, or its place.
protocol CellPlacing {
  /// The property; nil if it is a life cell.
  var key: PropertyKey? { get }
  var touch: Touch { get }
}

/// The place of a cell that was written after its entity's creation.
struct TouchedPlace: CellPlacing {
  var key: PropertyKey?
  var touch: Touch
}

extension PlacedCell: CellPlacing {
  var key: PropertyKey? { content.key }
}

extension Array where Element: CellPlacing {
  /// The cells of an entity, greatest first, without duplicates. Of several cells of one property,
  /// time and commit, only the last counts (R3).
  var newestFirst: [Element] {
    // Those of one property mostly are in this order, each with a time of its own.
    guard zip(self, dropFirst()).contains(where: { $0.touch.time <= $1.touch.time }) else {
      return self
    }
    let ordered = sorted { left, right in
      let (first, second) = (left.touch.order, right.touch.order)
      if first != second { return second < first }
      guard let key = left.key else { return false }
      return right.key.map { key < $0 } ?? true
    }
    var seen: Set<Slot> = []
    return ordered.filter { seen.insert(Slot($0)).inserted }
  }
}

/// What cells share that count as one.
private struct Slot: Hashable {
  let key: PropertyKey?
  let time: HybridTime
  let commit: Int64
  /// Distinguishes life cells, all of which count.
  let ordinal: Int

  init(_ place: some CellPlacing) {
    key = place.key
    time = place.touch.time
    commit = place.touch.info.n
    ordinal = place.key == nil ? place.touch.ordinal : -1
  }
}
