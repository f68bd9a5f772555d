/// Default implementations for a log that only lists its commits. Each call reads all of them.
extension CommitSource {
  package func commitCount(beyond frontier: Frontier) async throws -> Int {
    try await commits(beyond: frontier, atMost: .max).count
  }

  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    let all = Set(try await commits(beyond: .empty, atMost: .max).map(\.id))
    return all.intersection(ids)
  }

  package func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    var previous: [CommitID: CommitID] = [:]
    for commit in try await commits(beyond: .empty, atMost: .max) {
      previous[commit.id] = commit.predecessor
    }
    let wanted = Set(sequences)
    var found: [CommitID] = []
    var next: CommitID? = id
    while let id = next {
      if wanted.contains(id.sequence) { found.append(id) }
      next = previous[id]
    }
    return found.reversed()
  }

  /// A log without outlines returns complete commits.
  package func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await commits(beyond: frontier, atMost: byteCount).map {
      .init($0, wholeUpTo: wholeByteCount)
    }
  }

  package func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64) {
    let wanted = Set(try await predecessors(of: range.last, at: Array(range.sequences)))
    let commits = try await commits(beyond: .empty, atMost: .max).filter {
      wanted.contains($0.id) && $0.id.sequence >= sequence
    }
    let items = commits.map { LogItem($0, wholeUpTo: wholeByteCount) }
    return (items, range.last.sequence + 1)
  }

  package func blocks(
    of id: CommitID,
    from index: Int,
    atMost byteCount: Int
  ) async throws -> [Block] {
    guard
      let commit = try await commits(beyond: .empty, atMost: .max).first(where: { $0.id == id })
    else { return [] }
    var size = 0
    return Array(
      commit.blocks.dropFirst(index).prefix { block in
        defer { size += block.byteCount }
        return size < byteCount
      }
    )
  }

  package func forEachCommitPart(
    _ body: (CommitPart) async throws -> Void
  ) async throws {
    for commit in try await commits(beyond: .empty, atMost: .max) {
      try await body(.header(commit.header))
      for block in commit.blocks { try await body(.block(block)) }
    }
  }

  package func purgedCommits() async throws -> [CommitID] {
    var purged: Set<CommitID> = []
    for commit in try await commits(beyond: .empty, atMost: .max) {
      guard try commit.header.horizon == nil else { continue }
      purged.formUnion(try commit.redactions().map(\.commit))
    }
    return purged.sorted()
  }

  package func withheldCommits() async throws -> [Commit] { [] }
}

extension CommitLog {
  package func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    var commits: [Commit] = []
    var open: (header: CommitHeader, blocks: [Block])?
    while let part = try await next() {
      switch part {
      case .header(let header):
        if let open { commits.append(Commit(header: open.header, blocks: open.blocks)) }
        open = (header, [])
      case .block(let block): open?.blocks.append(block)
      }
    }
    if let open { commits.append(Commit(header: open.header, blocks: open.blocks)) }
    return try await append(commits, outline: outline)
  }
}

extension LogItem {
  /// Wraps a commit, without its blocks if it is larger than the limit.
  fileprivate init(_ commit: Commit, wholeUpTo wholeByteCount: Int) {
    guard commit.byteCount > wholeByteCount else {
      self = .commit(commit)
      return
    }
    self = .large(commit.with([]))
  }
}

extension CommitLog {
  /// A log that is not in a file, or in a plain one.
  package var isEncrypted: Bool { false }
}
