package import VarveCore

/// What a synchronisation asks of the log.
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
    wholeUpTo wholeByteCount: Int
  ) async throws -> [LogItem] {
    try await inspecting { session in
      try session.loadLog()
      return try session.items(
        beyond: frontier,
        atMost: byteCount,
        wholeUpTo: wholeByteCount
      )
    }
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
    wholeUpTo wholeByteCount: Int
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
        items.append(try item(info.n, wholeUpTo: wholeByteCount, &size))
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

  /// A commit, without blocks once they come to more than a number of bytes.
  private func item(_ n: Int64, wholeUpTo wholeByteCount: Int, _ size: inout Int) throws -> LogItem
  {
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
    size += byteCount
    return .commit(try Commit(headerBytes: head.headerBytes, blocks: blocks))
  }
}
