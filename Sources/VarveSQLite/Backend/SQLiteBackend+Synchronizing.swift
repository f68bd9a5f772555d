package import VarveCore

/// The reads of the log that a synchronisation needs.
extension SQLiteBackend {
  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    try await inspecting { session in
      Set(try ids.filter { try session.log.chainHolding($0) != nil })
    }
  }

  package func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    try await inspecting { session in
      guard let chainID = try session.log.chainHolding(id) else { return [] }
      return try Set(sequences).filter { $0 > 0 && $0 <= id.sequence }.sorted().compactMap {
        guard let n = try session.log.commitNumber(chainID: chainID, sequence: $0) else {
          return nil
        }
        return try session.log.commit(ofBlock: n).summary.id
      }
    }
  }

  package func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await inspecting { session in
      try session.log.items(
        beyond: frontier,
        atMost: byteCount,
        wholeUpTo: wholeByteCount,
        try outline.map { try Outliner(session, $0) }
      )
    }
  }

  package func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64) {
    try await inspecting { session in
      try session.log.items(of: range, from: sequence, atMost: byteCount, wholeByteCount)
    }
  }

  package func outlineHorizon() async throws -> Horizon? {
    try await inspecting { session in
      guard session.catalogue.awaits == .nothing, try session.log.sealedView == nil else {
        return nil
      }
      let horizon = try session.log.horizon(upTo: session.log.appliedTime)
      let count = horizon.frontier.heads.count
      return (1...Outline.maximumHeadCount).contains(count) ? horizon : nil
    }
  }

  package func takesOutlines() async throws -> Bool {
    // A home has every commit whole.
    guard configuration.home == nil else { return false }
    return try await inspecting { session in
      guard session.log.sealing == nil else { return false }
      return try session.catalogue.awaits == .present
        || session.log.chains.values.allSatisfy { $0.head == nil }
    }
  }

  package func expectOutlines(of horizon: Horizon) async throws {
    guard configuration.home == nil else { throw Horizon.homeTakesWhole }
    try await exclusively { session in
      try session.expectOutlines(of: horizon)
    }
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    let awaited = try await inspecting { session in
      let awaited = try session.log.awaited(from: place, atMost: count)
      // If nothing is awaited, the caller has everything that the other replica had.
      return (awaited, session.catalogue.awaits != .nothing && place == 0)
    }
    if awaited.1, awaited.0.ranges.isEmpty {
      try await exclusively { try $0.updateAwaits(isEnded: true) }
    }
    return awaited.0
  }

  package func purgedCommits() async throws -> [CommitID] {
    try await inspecting { session in
      try session.log.purgedCommits()
    }
  }

  package func blocks(
    of id: CommitID,
    from index: Int,
    atMost byteCount: Int
  ) async throws -> [Block] {
    try await inspecting { session in
      guard let chainID = try session.log.chainHolding(id),
        let n = try session.log.commitNumber(chainID: chainID, sequence: id.sequence)
      else { return [] }
      let count = try session.log.commit(number: n, withBlocks: false).header.blockCount
      var blocks: [Block] = []
      var size = 0
      while index + blocks.count < count, blocks.isEmpty || size < byteCount {
        let block = try session.log.storedBlock(n + Int64(index + blocks.count))
        blocks.append(block)
        size += block.byteCount
      }
      return blocks
    }
  }
}
