import VarveCore

/// The removals and additions that give a to-many property new targets.
struct Arrangement {
  /// The elements to remove.
  var removed: [Element] = []
  /// The targets to add, with their positions.
  var added: [(target: EntityID, position: ListPosition?)] = []

  init() {}

  /// Whether nothing changes.
  var isEmpty: Bool { removed.isEmpty && added.isEmpty }

  /// Changes a list. Elements that are in both, in the same order, stay.
  ///
  /// - Parameters:
  ///   - elements: the present elements.
  ///   - targets: the new targets.
  ///   - end: the default position of an add of this commit.
  /// - Complexity: O((n + m) · differences), after equal beginnings and ends.
  init(from elements: [Element], to targets: [EntityID], end: ListPosition) {
    let steps = targets.difference(from: elements.map(\.target))
    var kept = elements.map(Optional.some)
    for case .remove(let offset, _, _) in steps.removals {
      removed.append(elements[offset])
      kept[offset] = nil
    }
    var standing = kept.compactMap { $0 }[...]
    let inserted = Set(steps.insertions.map(\.offset))
    var lower: ListPosition?
    var index = 0
    while index < targets.count {
      guard inserted.contains(index) else {
        lower = standing.popFirst()?.position
        index += 1
        continue
      }
      let start = index
      while index < targets.count, inserted.contains(index) { index += 1 }
      let upper = standing.first { element in lower.map { $0 < element.position } ?? true }
      let places = Self.places(index - start, after: lower, before: upper?.position, end: end)
      for (target, place) in zip(targets[start..<index], places) { added.append((target, place)) }
      lower = places.last.flatMap { $0 } ?? lower
    }
  }

  /// Changes a set. Elements that are in both keep their positions.
  init(from elements: [Element], toSet targets: [EntityID]) {
    let wanted = Set(targets)
    removed = elements.filter { !wanted.contains($0.target) }
    let present = Set(elements.map(\.target))
    added = targets.filter { !present.contains($0) }.map { ($0, nil) }
  }

  /// Returns positions for new elements between two others; nil for the default position at the
  /// end.
  private static func places(
    _ count: Int,
    after lower: ListPosition?,
    before upper: ListPosition?,
    end: ListPosition
  ) -> [ListPosition?] {
    if upper == nil, lower.map({ $0 < end }) ?? true {
      return Array(repeating: nil, count: count)
    }
    return between(lower, upper, count)
  }

  /// Returns positions in order, chosen by bisection to keep them short.
  private static func between(_ lower: ListPosition?, _ upper: ListPosition?, _ count: Int)
    -> [ListPosition]
  {
    guard count > 0 else { return [] }
    let middle = ListPosition.between(lower, upper)
    let before = count / 2
    // If there is no room below the upper bound, the elements keep the order of their adds.
    guard middle != upper else { return Array(repeating: middle, count: count) }
    return between(lower, middle, before) + [middle] + between(middle, upper, count - before - 1)
  }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
