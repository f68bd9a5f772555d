import VarveCore

/// The times at which the adds of a family hold if some of the cells about them did not exist.
///
/// Without an add that continues another, its removals are removals of that other: they ended what
/// the two declared together.
struct AddTimeline {
  private struct Span {
    let place: Int
    let begin: HybridTime
    var end: HybridTime?
  }

  private var spans: [Span] = []
  private let continued: [Int?]

  /// Creates the timeline of a family.
  ///
  /// - Parameter isLeftOut: returns whether a commit's cell of a time is left out.
  init(
    _ family: AddFamilies.Family,
    leavingOut isLeftOut: (CommitSummary, HybridTime) -> Bool = { _, _ in false }
  ) {
    continued = family.continued
    /// For each add, the place of the add that it represents; nil for none.
    var present: [Int?] = []
    var ends: [Int: HybridTime] = [:]
    for (place, add) in family.adds.enumerated() {
      let isGone = isLeftOut(add.commit, add.time) || add.isFromFormerLife
      if let former = family.continued[place], !family.adds[former].isFromFormerLife {
        // The add that it continues may be absent; then this one is absent too.
        present.append(isGone || present[former] == nil ? present[former] : place)
      } else {
        present.append(isGone ? nil : place)
      }
    }
    for (place, add) in family.adds.enumerated() {
      guard let held = present[place] else { continue }
      for removal in add.removals where !isLeftOut(removal.commit, removal.time) {
        ends[held] = min(ends[held] ?? removal.time, removal.time)
      }
    }
    for (place, add) in family.adds.enumerated() where present[place] == place {
      spans.append(Span(place: place, begin: add.time, end: ends[place]))
    }
  }

  /// Returns the places of the adds that hold at a time, without those that continue another of
  /// them.
  func holding(at time: HybridTime) -> Set<Int> {
    let held = Set(
      spans.filter { $0.begin <= time && $0.end.map { time < $0 } ?? true }.map(\.place)
    )
    return held.filter { place in
      var former = continued[place]
      while let one = former {
        if held.contains(one) { return false }
        former = continued[one]
      }
      return true
    }
  }
}

extension AddFamilies.Family {
  /// The times at which an add may begin or cease to hold.
  var times: Set<HybridTime> { Set(adds.flatMap { [$0.time] + $0.removals.map(\.time) }) }
}
