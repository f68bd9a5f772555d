import VarveCore

/// What commits had seen, chain by chain: R13 asked of many at once.
extension Session {
  /// How many heads are asked what they had seen before the rest is named as it is: an answer takes
  /// a seek for each chain.
  private static let maximumSummitCount = 64

  /// Heads that stand for all: what one of them had seen is left out.
  ///
  /// - Complexity: O(heads named × chains × log commits), for 64 heads at most.
  func summits() throws -> [CommitID] {
    let chains = log.lineages.values.filter { $0.head != nil }
      .sorted { ($0.headTime, $0.id) > ($1.headTime, $1.id) }
    var seen: [Int64: Int64] = [:]
    var named: [CommitID] = []
    for (place, chain) in chains.enumerated() {
      // Nothing has seen what is stamped later, so those not looked at yet had not seen this one.
      guard let head = chain.head, seen[chain.id] ?? 0 < head.sequence else { continue }
      named.append(head)
      guard named.count <= Self.maximumSummitCount else { continue }
      try see(from: chain.id, head.sequence, chains[(place + 1)...], &seen)
    }
    return named.sorted()
  }

  /// Everything some commits had seen, themselves included: the newest of every chain. Commits that
  /// are not here say nothing.
  func seen(by ids: [CommitID]) throws -> Frontier {
    var bounds = try bounds(of: Frontier(ids))
    var seen: [Int64: Int64] = [:]
    for (chain, id, _) in try placed(ids) where seen[chain] ?? 0 < id.sequence {
      let rest = log.lineages.values.filter { ($0.head?.sequence ?? 0) > bounds[$0.id] ?? 0 }
      guard !rest.isEmpty else { break }
      try see(from: chain, id.sequence, rest, &seen)
      for (other, sequence) in seen { bounds[other] = max(bounds[other] ?? 0, sequence) }
    }
    return Frontier(try bounds.compactMap { try commitID($0, $1) })
  }

  /// Notes what a commit had seen of some chains.
  private func see(
    from lineage: Int64,
    _ sequence: Int64,
    _ chains: some Sequence<LogState.Lineage>,
    _ seen: inout [Int64: Int64]
  ) throws {
    for other in chains where other.id != lineage {
      cover(other.id, through: try seenSequence(of: other.id, by: lineage, sequence), &seen)
    }
    guard let own = log.lineages[lineage], let parent = own.parent else { return }
    cover(parent, through: min(sequence, own.forkSequence), &seen)
  }

  /// Commits that are here with their chains, the latest first.
  private func placed(_ ids: [CommitID]) throws -> [(Int64, CommitID, HybridTime)] {
    var placed: [(Int64, CommitID, HybridTime)] = []
    for id in ids {
      guard let lineage = try lineageHolding(id),
        let n = try commitNumber(lineage: lineage, sequence: id.sequence)
      else { continue }
      placed.append((lineage, id, try commit(ofBlock: n).summary.time))
    }
    return placed.sorted { ($0.2, $0.0) > ($1.2, $1.0) }
  }

  /// The commit of a number in a chain's own part; nil for what its parent has.
  private func commitID(_ lineage: Int64, _ sequence: Int64) throws -> CommitID? {
    guard let chain = log.lineages[lineage], sequence > chain.forkSequence else { return nil }
    if let head = chain.head, head.sequence == sequence { return head }
    return try commitNumber(lineage: lineage, sequence: sequence).map {
      try commit(ofBlock: $0).summary.id
    }
  }
}
