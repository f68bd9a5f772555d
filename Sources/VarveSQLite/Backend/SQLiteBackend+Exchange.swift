package import VarveCore

/// The operations that another replica requests.
extension SQLiteBackend {
  package func frontier() async throws -> Frontier {
    try await inspecting { session in
      Frontier(try session.log.chains.values.compactMap(\.head))
    }
  }

  package func leave(_ replica: ReplicaID) async throws -> ReplicaID? {
    try await exclusively { session in
      guard session.log.state.own.replica == replica else { return nil }
      try session.log.startOwnChain()
      try session.becomeAnotherCopy()
      return session.log.state.own.replica
    }
  }

  package func chains() async throws -> [ChainSummary] {
    try await inspecting { session in
      try session.log.chainSummaries()
    }
  }

  package func summits() async throws -> [CommitID] {
    try await inspecting { session in
      try session.log.summits()
    }
  }

  package func seen(by ids: [CommitID]) async throws -> Frontier {
    try await inspecting { session in
      try session.log.seen(by: ids)
    }
  }

  package func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit] {
    try await inspecting { session in
      try session.log.commits(beyond: frontier, atMost: byteCount)
    }
  }

  package func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws {
    try await withSession { session in
      try session.refreshCatalogue()
      try session.requireHistory(for: "a document of all commits")
      var cursors = try session.log.cursors(beyond: .empty)
      while let n = try session.log.takeNext(&cursors) {
        let header = try session.log.commit(number: n, withBlocks: false).header
        try await body(.header(header))
        for index in 0..<Int64(header.blockCount) {
          try await body(.block(session.log.storedBlock(n + index)))
        }
      }
    }
  }

  package func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    let report = try await exclusively { session in
      var intake = try intake(session, outline)
      while let part = try await next() { try intake.add(part) }
      return try intake.finish()
    }
    if report.withheldCount > 0 { try await wakeForWithheld() }
    try await flushIfSynchronized(nil)
    return report
  }

  package func commitCount(beyond frontier: Frontier) async throws -> Int {
    try await inspecting { session in
      let bounds = try session.log.bounds(of: frontier)
      return try session.log.chains.values.reduce(0) { count, chain in
        let first = max(bounds[chain.id] ?? 0, chain.forkSequence)
        return count + Int(max(0, (chain.head?.sequence ?? 0) - first))
      }
    }
  }
}
