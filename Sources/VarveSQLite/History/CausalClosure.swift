import VarveCore

/// Computes what commits had seen, chain by chain: R13 for many commits at once.
extension LogTables {
  /// The number of heads for which the seen commits are looked up; the others are listed unreduced,
  /// because each lookup takes a seek per chain.
  private static let maximumSummitCount = 64

  /// Returns heads that represent all commits: those that another head had seen are omitted.
  ///
  /// - Complexity: O(heads named × chains × log commits), for 64 heads at most.
  func summits() throws -> [CommitID] {
    let chains = try current.chains.values.filter { $0.head != nil }
      .sorted { ($0.headTime, $0.id) > ($1.headTime, $1.id) }
    var seen: [Int64: Int64] = [:]
    var named: [CommitID] = []
    for (place, chain) in chains.enumerated() {
      // No commit has seen one with a later stamp, so the remaining heads had not seen this one.
      guard let head = chain.head, seen[chain.id] ?? 0 < head.sequence else { continue }
      named.append(head)
      guard named.count <= Self.maximumSummitCount else { continue }
      try see(from: chain.id, head.sequence, chains[(place + 1)...], &seen)
    }
    return named.sorted()
  }

  /// Returns everything that some commits had seen, including themselves: the newest commit of
  /// every chain. Commits that are not in this store are ignored.
  func seen(by ids: [CommitID]) throws -> Frontier {
    var bounds = try bounds(of: Frontier(ids))
    var seen: [Int64: Int64] = [:]
    for (chain, id, _) in try placed(ids) where seen[chain] ?? 0 < id.sequence {
      let rest = try current.chains.values.filter {
        ($0.head?.sequence ?? 0) > bounds[$0.id] ?? 0
      }
      guard !rest.isEmpty else { break }
      try see(from: chain, id.sequence, rest, &seen)
      for (other, sequence) in seen { bounds[other] = max(bounds[other] ?? 0, sequence) }
    }
    return Frontier(try bounds.compactMap { try commitID($0, $1) })
  }

  /// Adds the commits of some chains that a commit had seen.
  private func see(
    from chainID: Int64,
    _ sequence: Int64,
    _ chains: some Sequence<LogState.Chain>,
    _ seen: inout [Int64: Int64]
  ) throws {
    for other in chains where other.id != chainID {
      try cover(other.id, through: try seenSequence(of: other.id, by: chainID, sequence), &seen)
    }
    guard let own = try current.chains[chainID], let parent = own.parent else { return }
    try cover(parent, through: min(sequence, own.forkSequence), &seen)
  }

  /// Returns those of the commits that are in this store, with their chains, the latest first.
  private func placed(_ ids: [CommitID]) throws -> [(Int64, CommitID, HybridTime)] {
    var placed: [(Int64, CommitID, HybridTime)] = []
    for id in ids {
      guard let chainID = try chainHolding(id),
        let n = try commitNumber(chainID: chainID, sequence: id.sequence)
      else { continue }
      placed.append((chainID, id, try commit(ofBlock: n).summary.time))
    }
    return placed.sorted { ($0.2, $0.0) > ($1.2, $1.0) }
  }

  /// Returns the commit with a sequence number in a chain's own part; nil for its parent's part.
  private func commitID(_ chainID: Int64, _ sequence: Int64) throws -> CommitID? {
    guard let chain = try current.chains[chainID], sequence > chain.forkSequence else {
      return nil
    }
    if let head = chain.head, head.sequence == sequence { return head }
    return try commitNumber(chainID: chainID, sequence: sequence).map {
      try commit(ofBlock: $0).summary.id
    }
  }
}
