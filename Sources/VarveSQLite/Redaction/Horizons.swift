import VarveCore

/// The horizons up to which history was folded, in a table that is created with that of redactions.
extension LogTables {
  func note(_ horizon: Horizon, n: Int64) throws {
    try makeRedactionTables()
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO varve_horizon (n, time, field) VALUES (?, ?, ?)"
    )
    insert.reserve(horizon.field.bytes.count)
    insert.bind(1, n)
    insert.bind(2, horizon.time.rawValue)
    insert.bind(3, blob: horizon.field.bytes)
    try insert.run()
  }

  /// Throws if history was folded beyond a moment.
  func checkHorizons(_ moment: Moment, _ filter: MomentFilter) throws {
    if let view = try sealedView {
      for horizon in view.horizons.sorted(by: { $0.time > $1.time })
      where try lies(moment, filter, before: horizon) { throw horizon.isPassed }
      return
    }
    guard try current.hasRedactions else { return }
    let statement = try connection.ownStatement(
      "SELECT field FROM varve_horizon ORDER BY time DESC"
    )
    while try statement.step() {
      let horizon = try Horizon(encoded: statement.blob(0))
      if try lies(moment, filter, before: horizon) { throw horizon.isPassed }
    }
  }

  /// Returns whether a compaction up to a time or later has folded values under a key.
  ///
  /// - Complexity: O(redactions), if there is such a compaction.
  func hasFolded(_ key: PropertyKey, at time: HybridTime) throws -> Bool {
    if let view = try sealedView {
      return view.horizons.contains { $0.time >= time } && view.redacts(key)
    }
    guard try current.hasRedactions else { return false }
    let horizons = try connection.ownStatement("SELECT 1 FROM varve_horizon WHERE time >= ?")
    horizons.bind(1, time.rawValue)
    guard try horizons.step() else { return false }
    let redactions = try connection.ownStatement("SELECT parts FROM varve_redaction")
    while try redactions.step() {
      let parts = try redactions.bytes(0).withReader { try $0.redactionParts() }
      if parts.contains(where: { $0.key == key }) { return true }
    }
    return false
  }

  /// Returns whether a moment is before a horizon's time, or lacks one of its commits.
  func lies(_ moment: Moment, _ filter: MomentFilter, before horizon: Horizon) throws -> Bool {
    if case .time(let time) = moment { return time < horizon.time }
    guard let bounds = filter.bounds else { return false }
    return try self.bounds(of: horizon.frontier).contains { chainID, sequence in
      bounds[chainID] ?? 0 < sequence
    }
  }

  /// Returns the commits stamped up to a time, without the one being written.
  func horizon(upTo time: HybridTime) throws -> Horizon {
    var heads: [CommitID] = []
    for chain in try current.chains.values {
      var (low, high) = (chain.forkSequence + 1, chain.appliedSequence)
      var newest: CommitID?
      while low <= high {
        let middle = (low + high) / 2
        guard let n = try commitNumber(chainID: chain.id, sequence: middle) else { break }
        let summary = try commit(ofBlock: n).summary
        if summary.time <= time {
          newest = summary.id
          low = middle + 1
        } else {
          high = middle - 1
        }
      }
      if let newest { heads.append(newest) }
    }
    return Horizon(time: time, frontier: Frontier(heads))
  }
}
