package import VarveCore

/// What a synchronisation reads from the log.
extension SQLiteBackend {
  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    try await inspecting { session in
      try session.loadLog()
      return Set(try ids.filter { try session.lineageHolding($0) != nil })
    }
  }

  package func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    try await inspecting { session in
      try session.loadLog()
      guard let lineage = try session.lineageHolding(id) else { return [] }
      return try Set(sequences).filter { $0 > 0 && $0 <= id.sequence }.sorted().compactMap {
        guard let n = try session.commitNumber(lineage: lineage, sequence: $0) else { return nil }
        return try session.commit(ofBlock: n).summary.id
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
      try session.loadLog()
      if outline != nil { try session.refreshCatalogue() }
      return try session.items(
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
      try session.loadLog()
      return try session.items(of: range, from: sequence, atMost: byteCount, wholeByteCount)
    }
  }

  package func outlineHorizon() async throws -> Horizon? {
    try await inspecting { session in
      try session.refreshCatalogue()
      try session.loadLog()
      guard session.catalogue.awaits == .nothing else { return nil }
      let horizon = try session.horizon(upTo: session.log.appliedTime)
      let count = horizon.frontier.heads.count
      return (1...Outline.maximumHeadCount).contains(count) ? horizon : nil
    }
  }

  package func takesOutlines() async throws -> Bool {
    // A home has every commit whole.
    guard configuration.home == nil else { return false }
    return try await inspecting { session in
      try session.refreshCatalogue()
      try session.loadLog()
      return session.catalogue.awaits == .present
        || session.log.lineages.values.allSatisfy { $0.head == nil }
    }
  }

  package func expectOutlines(of horizon: Horizon) async throws {
    guard configuration.home == nil else {
      throw VarveError(.unsupported, "a log with a home of its own takes whole commits only")
    }
    try await exclusively(patienceMilliseconds: 60_000) { session in
      try session.expectOutlines(of: horizon)
    }
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    let awaited = try await inspecting { session in
      try session.refreshCatalogue()
      try session.loadLog()
      let awaited = try session.awaited(from: place, atMost: count)
      // If nothing is awaited, the caller has everything that the other replica had.
      return (awaited, session.catalogue.awaits != .nothing && place == 0)
    }
    if awaited.1, awaited.0.ranges.isEmpty {
      try await exclusively(patienceMilliseconds: 60_000) { try $0.updateAwaits(isEnded: true) }
    }
    return awaited.0
  }

  package func purgedCommits() async throws -> [CommitID] {
    try await inspecting { session in
      try session.loadLog()
      return try session.purgedCommits()
    }
  }

  package func blocks(
    of id: CommitID,
    from index: Int,
    atMost byteCount: Int
  ) async throws -> [Block] {
    try await inspecting { session in
      try session.loadLog()
      guard let lineage = try session.lineageHolding(id),
        let n = try session.commitNumber(lineage: lineage, sequence: id.sequence)
      else { return [] }
      let count = try session.commit(number: n, withBlocks: false).header.blockCount
      var blocks: [Block] = []
      var size = 0
      while index + blocks.count < count, blocks.isEmpty || size < byteCount {
        let block = try session.storedBlock(n + Int64(index + blocks.count))
        blocks.append(block)
        size += block.byteCount
      }
      return blocks
    }
  }
}

extension Session {
  fileprivate func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    _ outliner: Outliner?
  ) throws -> [LogItem] {
    var cursors = try cursors(beyond: frontier)
    var items: [LogItem] = []
    var size = 0
    while size < byteCount || items.isEmpty {
      guard let next = cursors.indices.min(by: { cursors[$0].order < cursors[$1].order }) else {
        break
      }
      let info = cursors[next]
      do {
        if try awaitsOutline(info.n) == true {
          items.append(.awaited(info.summary.id))
        } else {
          items.append(try item(info.n, wholeUpTo: wholeByteCount, &size, outliner))
        }
      } catch let error as VarveError where error.code == .damaged {
        items.append(.damaged(info.summary.id, error))
      }
      do {
        _ = try takeNext(&cursors)
      } catch let error as VarveError where error.code == .damaged {
        let id = info.summary.id
        let unknown = CommitID(replica: id.replica, sequence: id.sequence + 1, hash: .zero)
        items.append(.damaged(unknown, error))
        cursors.remove(at: next)
      }
    }
    return items
  }

  /// Returns a commit, without its blocks if these exceed a number of bytes.
  private func item(
    _ n: Int64,
    wholeUpTo wholeByteCount: Int,
    _ size: inout Int,
    _ outliner: Outliner? = nil
  ) throws -> LogItem {
    let head = try commit(number: n, withBlocks: false)
    size += head.headerBytes.count
    var blocks: [Block] = []
    var byteCount = head.headerBytes.count
    for index in 0..<head.header.blockCount {
      let block = try storedBlock(n + Int64(index))
      byteCount += block.byteCount
      if byteCount > wholeByteCount {
        size += byteCount
        return .large(head)
      }
      blocks.append(block)
    }
    let commit = head.with(blocks)
    guard let outline = try outliner?.outline(commit, n: n) else {
      size += byteCount
      return .commit(commit)
    }
    size += outline.byteCount
    return .commit(outline)
  }

  /// Returns complete commits of a range, from a sequence number on.
  fileprivate func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    _ wholeByteCount: Int
  ) throws -> (items: [LogItem], next: Int64) {
    var items: [LogItem] = []
    var size = 0
    var next = max(sequence, range.sequences.lowerBound)
    guard let lineage = try lineageHolding(range.last) else {
      return ([], range.last.sequence + 1)
    }
    while next <= range.last.sequence, size < byteCount {
      defer { next += 1 }
      guard let n = try commitNumber(lineage: lineage, sequence: next),
        try awaitsOutline(n) == nil
      else { continue }
      do {
        items.append(try item(n, wholeUpTo: wholeByteCount, &size))
      } catch let error as VarveError where error.code == .damaged {
        continue  // It stays awaited: another store may have all of it.
      }
      // Its blocks follow one by one, before the next commit.
      if case .large = items.last { return (items, next + 1) }
    }
    return (items, next)
  }
}
