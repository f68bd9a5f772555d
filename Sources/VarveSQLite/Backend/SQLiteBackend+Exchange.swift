package import VarveCore

/// The operations that another replica requests.
extension SQLiteBackend {
  package func frontier() async throws -> Frontier {
    try await inspecting { session in
      try session.loadLog()
      return Frontier(session.log.lineages.values.compactMap(\.head))
    }
  }

  package func leave(_ replica: ReplicaID) async throws -> ReplicaID? {
    try await exclusively(patienceMilliseconds: 60_000) { session in
      guard session.log.own.replica == replica else { return nil }
      try session.startOwnLineage()
      return session.log.own.replica
    }
  }

  package func chains() async throws -> [ChainSummary] {
    try await inspecting { session in
      try session.loadLog()
      return try session.chains()
    }
  }

  package func summits() async throws -> [CommitID] {
    try await inspecting { session in
      try session.loadLog()
      return try session.summits()
    }
  }

  package func seen(by ids: [CommitID]) async throws -> Frontier {
    try await inspecting { session in
      try session.loadLog()
      return try session.seen(by: ids)
    }
  }

  package func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit] {
    try await inspecting { session in
      try session.loadLog()
      return try session.commits(beyond: frontier, atMost: byteCount)
    }
  }

  package func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws {
    try await withSession { session in
      try session.refreshCatalogue()
      try session.requireHistory(for: "a document of all commits")
      try session.loadLog()
      var cursors = try session.cursors(beyond: .empty)
      while let n = try session.takeNext(&cursors) {
        let header = try session.commit(number: n, withBlocks: false).header
        try await body(.header(header))
        for index in 0..<Int64(header.blockCount) {
          try await body(.block(session.storedBlock(n + index)))
        }
      }
    }
  }

  package func append(
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    let report = try await exclusively(patienceMilliseconds: 60_000) { session in
      var intake = Intake(
        session,
        wallMilliseconds: configuration.wallMilliseconds(),
        toleranceMilliseconds: configuration.toleranceMilliseconds
      )
      while let part = try await next() { try intake.add(part) }
      return try intake.finish()
    }
    if report.withheldCount > 0 { try await wakeForWithheld() }
    return report
  }

  package func commitCount(beyond frontier: Frontier) async throws -> Int {
    try await inspecting { session in
      try session.loadLog()
      let bounds = try session.bounds(of: frontier)
      return session.log.lineages.values.reduce(0) { count, chain in
        let first = max(bounds[chain.id] ?? 0, chain.forkSequence)
        return count + Int(max(0, (chain.head?.sequence ?? 0) - first))
      }
    }
  }
}

extension Session {
  /// Returns commits that a frontier does not cover, in order of stamp, up to a number of bytes.
  func commits(beyond frontier: Frontier, atMost byteCount: Int) throws -> [Commit] {
    var cursors = try cursors(beyond: frontier)
    var commits: [Commit] = []
    var size = 0
    while size < byteCount || commits.isEmpty {
      guard let n = try takeNext(&cursors) else { break }
      let commit = try commit(number: n)
      commits.append(commit)
      size += commit.blocks.reduce(commit.headerBytes.count) { $0 + $1.stored.count }
    }
    return commits
  }

  /// Returns the first commit of each chain that a frontier does not cover.
  func cursors(beyond frontier: Frontier) throws -> [CommitInfo] {
    let bounds = try bounds(of: frontier)
    return try log.lineages.values.compactMap { chain in
      try cursor(chain, after: max(bounds[chain.id] ?? 0, chain.forkSequence))
    }
  }

  /// Returns the number of the next commit in order of stamp, and advances past it; nil after the
  /// last.
  func takeNext(_ cursors: inout [CommitInfo]) throws -> Int64? {
    guard let next = cursors.indices.min(by: { cursors[$0].order < cursors[$1].order }) else {
      return nil
    }
    let info = cursors[next]
    if let chain = log.lineages[info.lineage],
      let following = try cursor(chain, after: info.summary.id.sequence)
    {
      cursors[next] = following
    } else {
      cursors.remove(at: next)
    }
    return info.n
  }

  /// Returns the greatest sequence number of each chain that a frontier covers.
  func bounds(of frontier: Frontier) throws -> [Int64: Int64] {
    var bounds: [Int64: Int64] = [:]
    for head in frontier.heads {
      guard let lineage = try lineageHolding(head) else { continue }
      cover(lineage, through: head.sequence, &bounds)
    }
    return bounds
  }

  func cover(_ lineage: Int64, through sequence: Int64, _ bounds: inout [Int64: Int64]) {
    var (chain, sequence): (Int64?, Int64) = (lineage, sequence)
    while let id = chain, bounds[id] ?? 0 < sequence {
      bounds[id] = sequence
      sequence = log.lineages[id]?.forkSequence ?? 0
      chain = log.lineages[id]?.parent
    }
  }

  private func cursor(_ chain: LogState.Lineage, after sequence: Int64) throws -> CommitInfo? {
    guard let head = chain.head, sequence < head.sequence,
      let n = try commitNumber(lineage: chain.id, sequence: sequence + 1)
    else { return nil }
    return try commit(ofBlock: n)
  }

  /// Returns the chains that have commits, with their first and last ones.
  fileprivate func chains() throws -> [ChainSummary] {
    try log.lineages.values.compactMap { chain in
      guard let head = chain.head,
        let first = try commitNumber(lineage: chain.id, sequence: chain.forkSequence + 1),
        let last = try commitNumber(lineage: chain.id, sequence: head.sequence)
      else { return nil }
      return ChainSummary(
        first: try commit(ofBlock: first).summary,
        last: try commit(ofBlock: last).summary
      )
    }.sorted { $0.first.id < $1.first.id }
  }
}
