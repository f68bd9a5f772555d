/// A commit as a log passes it to another.
package enum LogItem: Sendable {
  /// A complete commit.
  case commit(Commit)
  /// A commit too large to be passed on at once: without its blocks, which are read separately.
  case large(Commit)
  /// A commit that cannot be read here, and why. Its hash is zero if not even that is known.
  case damaged(CommitID, VarveError)
  /// A commit of which only the outline is here.
  case awaited(CommitID)

  /// The name of the commit.
  package var id: CommitID {
    switch self {
    case .commit(let commit), .large(let commit): commit.id
    case .damaged(let id, _), .awaited(let id): id
    }
  }
}

extension Commit {
  /// The size of the header and the blocks.
  package var byteCount: Int { blocks.reduce(headerBytes.count) { $0 + $1.byteCount } }

  /// The previous commit of the same replica; nil for its first.
  package var predecessor: CommitID? {
    guard header.sequence > 1 else { return nil }
    return CommitID(
      replica: header.replica,
      sequence: header.sequence - 1,
      hash: header.previous
    )
  }

  /// The commit's direct dependencies: its predecessor, then commits of other replicas.
  package var needed: [CommitID] { (predecessor.map { [$0] } ?? []) + header.dependencies }
}

extension LogItem {
  /// Wraps a commit, without its blocks if it is larger than the limit.
  fileprivate init(_ commit: Commit, wholeUpTo wholeByteCount: Int) throws {
    guard commit.byteCount > wholeByteCount else {
      self = .commit(commit)
      return
    }
    self = .large(try Commit(headerBytes: commit.headerBytes, blocks: []))
  }
}

extension Block {
  /// The size of the block when stored or sent.
  package var byteCount: Int { salt.count + stored.count }
}

extension Backend {
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

  /// A backend without outlines returns complete commits.
  package func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await commits(beyond: frontier, atMost: byteCount).map {
      try .init($0, wholeUpTo: wholeByteCount)
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
    let items = try commits.map { try LogItem($0, wholeUpTo: wholeByteCount) }
    return (items, range.last.sequence + 1)
  }

  package func outlineHorizon() async throws -> Horizon? { nil }

  package func takesOutlines() async throws -> Bool { false }

  package func expectOutlines(of horizon: Horizon) async throws {
    throw VarveError(.unsupported, "this backend takes whole commits only")
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    AwaitedCommits()
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
}
