import VarveCore

/// Writes a local commit.
extension LogTables {
  /// Begins a commit. The caller holds the write lock, and the copies of the log are fresh.
  ///
  /// - Returns: the chains of which the commit will not have seen all that is applied, with what it
  ///   has seen.
  func beginCommit(
    _ request: WriteRequest,
    wall: HybridTime,
    toleranceMilliseconds: Int64
  ) throws -> [Int64: Int64] {
    let latestCredible = wall.end(afterMilliseconds: toleranceMilliseconds)
    if state.own.headTime > latestCredible { try startOwnChain() }
    var clock = HybridClock(latest: try latestStamp(notAfter: latestCredible))
    let time = clock.tick(wall: wall)
    let own = state.own
    let sequence = (own.head?.sequence ?? own.forkSequence) + 1
    guard time > own.headTime else {
      throw VarveError(
        .timeOutOfRange,
        "no time is left after the last commit's",
        remedy: "Set the clock, and write again."
      )
    }
    pending = PendingCommit(
      n: state.nextBlock,
      chainID: own.id,
      replica: own.replica,
      sequence: sequence,
      time: time,
      request: request,
      seal: try seal(replica: own.replica, sequence: sequence)
    )
    return state.appliedTime > latestCredible ? try chainsBeyond(latestCredible) : [:]
  }

  /// Returns the chains with commits that the new commit will not name as seen.
  private func chainsBeyond(_ latestCredible: HybridTime) throws -> [Int64: Int64] {
    var unseen: [Int64: Int64] = [:]
    for (id, chain) in state.chains
    where id != state.ownChain && chain.appliedTime > latestCredible {
      let newest = try newestCommit(of: chain, notAfter: latestCredible)?.summary.id.sequence ?? 0
      unseen[id] = max(newest, state.acknowledged[id] ?? 0)
    }
    return unseen
  }

  /// Returns the latest applied stamp, without those of a time when the clock was wrong (R11).
  private func latestStamp(notAfter latestCredible: HybridTime) throws -> HybridTime {
    guard state.appliedTime > latestCredible else { return state.appliedTime }
    // A chain that ends beyond may have begun before.
    return try state.chains.values
      .compactMap { try newestCommit(of: $0, notAfter: latestCredible)?.summary.time }.max()
      ?? .distantPast
  }

  /// Stores the open block if it has reached its target size.
  func sealIfFull() throws {
    guard let pending, pending.builder.isFull else { return }
    try pending.sealOpenBlock { block, b in try store(block, number: b) }
  }

  /// Stores the header. Returns nil if nothing was written.
  func finishCommit() throws -> WriteReceipt? {
    guard let pending, !pending.isEmpty else { return nil }
    let inline = try pending.sealRest(inlineThreshold: Self.inlineThreshold) { block, b in
      try store(block, number: b)
    }
    let own = state.own
    let applied = try appliedSinceOwn()
    var header = CommitHeader(
      kind: pending.builder.hasRedacted ? .redactions : .ordinary,
      replica: own.replica,
      sequence: pending.info.summary.id.sequence,
      time: pending.info.summary.time,
      previous: own.head?.hash ?? .zero,
      dependencies: try dependencies(on: applied, before: pending.info.summary.time),
      author: pending.seal == nil ? pending.request.author : "",
      message: pending.seal == nil ? pending.request.message : "",
      ordinalCount: pending.builder.nextOrdinal,
      blockCount: pending.digests.count,
      blocksDigest: CommitHeader.digest(ofBlocks: pending.digests),
      latestCellTime: pending.builder.latestTime.flatMap {
        $0 > pending.info.summary.time ? $0 : nil
      }
    )
    if let horizon = pending.horizon { header.extensions = [horizon.field] }
    header.undone = pending.request.undone
    if let seal = pending.seal { try Self.add(seal, of: pending.request, to: &header) }
    let bytes = header.encoded
    let id = CommitID(
      replica: header.replica,
      sequence: header.sequence,
      hash: CommitHeader.hash(ofEncoded: bytes)
    )
    try storeCommit(
      header,
      bytes: bytes,
      id: id,
      n: pending.n,
      chainID: own.id,
      inline: inline
    )
    noteApplied(header, chainID: own.id)
    if pending.seal != nil { try noteSignable(header.sequence, of: own.id) }
    (header.author, header.message) = (pending.request.author, pending.request.message)
    return WriteReceipt(
      commit: CommitSummary(header, id: id),
      applied: applied.values.map(\.summary.id)
    )
  }

  /// Returns the newest applied commit of every other chain that grew since the own chain's last
  /// commit, by chain.
  private func appliedSinceOwn() throws -> [Int64: CommitInfo] {
    var applied: [Int64: CommitInfo] = [:]
    for (id, chain) in state.chains where id != state.ownChain {
      guard chain.appliedSequence > state.acknowledged[id] ?? chain.forkSequence else { continue }
      applied[id] = try commitInfo(chainID: id, sequence: chain.appliedSequence)
    }
    return applied
  }

  /// Returns what a commit names as seen (R13): of each chain the newest applied commit, without
  /// those that a wrong clock stamped later than this one.
  private func dependencies(
    on applied: [Int64: CommitInfo],
    before time: HybridTime
  ) throws -> [CommitID] {
    let before = HybridTime(rawValue: time.rawValue - 1)
    var dependencies: [CommitID] = []
    for (id, newest) in applied {
      let isEarlier = newest.summary.time <= before
      guard let chain = state.chains[id],
        let info = isEarlier ? newest : try newestCommit(of: chain, notAfter: before)
      else { continue }
      dependencies.append(info.summary.id)
      state.acknowledged[id] = info.summary.id.sequence
    }
    return dependencies.sorted()
  }

  /// Returns the newest applied commit in a chain's own part that is not stamped later.
  private func newestCommit(
    of chain: LogState.Chain,
    notAfter latest: HybridTime
  ) throws -> CommitInfo? {
    var sequence = chain.appliedSequence
    while sequence > chain.forkSequence {
      let info = try commitInfo(chainID: chain.id, sequence: sequence)
      if let info, info.summary.time <= latest { return info }
      sequence -= 1
    }
    return nil
  }

  private func commitInfo(chainID: Int64, sequence: Int64) throws -> CommitInfo? {
    try commitNumber(chainID: chainID, sequence: sequence).map { try commit(ofBlock: $0) }
  }

  /// Records the last applied commit of a chain.
  func noteApplied(_ header: CommitHeader, chainID: Int64) {
    if var chain = state.chains[chainID] {
      chain.appliedSequence = header.sequence
      chain.appliedTime = header.time
      state.chains[chainID] = chain
    }
    state.appliedTime = max(state.appliedTime, header.time)
    if let latest = header.latestCellTime { state.ownTime = max(state.ownTime, latest) }
  }
}
