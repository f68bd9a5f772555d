import VarveCore

/// The reads that a store which began with outlines can serve.
extension Session {
  /// Records a horizon up to which commits arrive as outlines, unless it is recorded.
  func expectOutlines(of horizon: Horizon) throws {
    guard try !log.expectsOutlines(of: horizon) else { return }
    try log.addOutlines(of: horizon)
    try catalogue.setAwaits(.present)
  }

  /// Updates the part of the store that is still awaited.
  ///
  /// - Parameter isEnded: whether no peer is about to send more.
  func updateAwaits(isEnded: Bool = false) throws {
    guard catalogue.awaits != .nothing else { return }
    let hasOutlines = try log.hasOutlines
    let isPresent = try log.outlineHorizons().allSatisfy { horizon in
      try log.bounds(of: horizon.frontier).allSatisfy { chainID, sequence in
        try log.chains[chainID].map { $0.appliedSequence >= sequence } ?? false
      } && horizon.frontier.heads.allSatisfy { try log.chainHolding($0) != nil }
    }
    if !hasOutlines, isPresent || isEnded {
      try log.clearOutlines()
      try catalogue.setAwaits(.nothing)
    } else {
      try catalogue.setAwaits(isPresent ? .history : .present)
    }
  }

  /// Throws if the present is still to come.
  func requirePresent() throws {
    guard catalogue.awaits == .present else { return }
    throw Horizon.awaited("this is the beginning of a first synchronisation: it needs a present")
  }

  /// Throws if history is still to come.
  func requireHistory(for what: String) throws {
    guard catalogue.awaits != .nothing else { return }
    throw Horizon.awaited("\(what) needs history")
  }

  /// Throws if a moment depends on history that is still to come.
  func checkOutlines(_ moment: Moment, _ filter: MomentFilter) throws {
    guard catalogue.awaits != .nothing else { return }
    for horizon in try log.outlineHorizons() where try log.lies(moment, filter, before: horizon) {
      throw horizon.isAwaited
    }
  }
}
