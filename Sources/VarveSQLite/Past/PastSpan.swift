import VarveCore

/// The interval around a time in which an entity does not change.
///
/// Both may be narrower than necessary, never wider.
struct PastSpan {
  /// The time of the latest write that is not after the middle.
  private(set) var since = HybridTime.distantPast
  /// The time of the first write after the middle; nil if there is none.
  private(set) var until: HybridTime?
  private let middle: HybridTime

  init(around middle: HybridTime) { self.middle = middle }

  mutating func note(_ time: HybridTime) {
    if time <= middle {
      since = max(since, time)
    } else {
      until = min(until ?? time, time)
    }
  }
}

extension Session {
  /// Returns the times around a time between which nothing was written to an entity.
  ///
  /// - Parameter withOwnerships: whether its ownerships count too, on both ends.
  /// - Complexity: O(properties × log touches + ownerships).
  func span(
    of identity: Identity,
    around time: HybridTime,
    withOwnerships: Bool
  ) throws -> PastSpan {
    var span = PastSpan(around: time)
    let birth = try latestBirth(of: identity)
    if birth <= time {
      span.note(birth)
    } else {
      for cell in try bornCells(of: identity, .now) { span.note(cell.touch.time) }
    }
    if let row = identity.row {
      for key in [TouchIndex.lifeKey] + (try touches.keys(row: row)) {
        try touches.forEach(row: row, key: key, notAfter: time) { entry in
          span.note(HybridTime(rawValue: entry.time))
          return false
        }
        if let next = try touches.next(row: row, key: key, after: time.rawValue) {
          span.note(HybridTime(rawValue: next))
        }
      }
    }
    guard withOwnerships else { return span }
    let links = try links(to: identity.id, kind: .owns) + ownershipLinks(from: identity.id)
    for link in links {
      span.note(link.time)
      guard link.removed != nil else { continue }
      for removal in try removalTimes(of: link) { span.note(removal) }
    }
    return span
  }
}
