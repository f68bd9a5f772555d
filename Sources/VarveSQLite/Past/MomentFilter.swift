import VarveCore

/// Determines which commits and cells count at a moment.
struct MomentFilter {
  var history: HistoryFilter
  /// For a frontier: the greatest sequence number of each chain that counts.
  var bounds: [Int64: Int64]?

  init(cutoff: HybridTime) { history = HistoryFilter(cutoff: cutoff) }

  init(bounds: [Int64: Int64]) {
    self.bounds = bounds
    history = HistoryFilter { info in
      info.summary.id.sequence <= bounds[info.chainID] ?? 0
    }
  }

  init(_ frontier: Frontier, in log: LogTables) throws {
    var bounds: [Int64: Int64] = [:]
    for head in frontier.heads {
      guard let chainID = try log.chainHolding(head) else {
        throw VarveError(
          .notFound,
          "a frontier names a commit that is not here",
          at: "commit \(head.sequence) of replica \(head.replica)",
          remedy: "Merge from the store the frontier came from."
        )
      }
      var (chain, sequence): (Int64?, Int64) = (chainID, head.sequence)
      while let id = chain, bounds[id] ?? 0 < sequence {
        bounds[id] = sequence
        sequence = try log.chains[id]?.forkSequence ?? 0
        chain = try log.chains[id]?.parent
      }
    }
    self.init(bounds: bounds)
  }

  /// Returns the moment that leaves out what either of two moments of one kind leaves out.
  func intersection(_ other: MomentFilter) -> MomentFilter {
    guard let bounds, let others = other.bounds else {
      return MomentFilter(cutoff: min(history.cutoff, other.history.cutoff))
    }
    return MomentFilter(
      bounds: bounds.merging(others) { min($0, $1) }.filter {
        bounds[$0.key] != nil && others[$0.key] != nil
      }
    )
  }

  /// Returns whether both are times, or both frontiers.
  func isComparable(with other: MomentFilter) -> Bool { (bounds == nil) == (other.bounds == nil) }
}
