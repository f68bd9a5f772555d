package import VarveCore
import VarveSQL

extension SQLiteBackend {
  package func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws {
    try await exclusively(patienceMilliseconds: 60_000) { session in
      try session.rebuild(progress)
    }
  }
}

extension Session {
  /// Drops everything derived from the log, and derives it again.
  func rebuild(_ progress: (RebuildProgress) -> Void) throws {
    let version = catalogue.version
    try touches.remake {
      finalizeStatements()
      try dropTables()
      try connection.execute(Schema.derived)
    }
    log.hasRedactions = false
    catalogue = Catalogue()
    catalogue.version = version
    try noteCatalogueChange()
    forgetDerived()
    let numbers = try commitNumbers()
    for (index, n) in numbers.enumerated() {
      try replay(n, from: self)
      progress(RebuildProgress(commitCount: index + 1, totalCount: numbers.count))
    }
    if let last = log.lastCommit {
      let update = try connection.statement("UPDATE varve_commit SET next_row = ? WHERE n = ?")
      update.bind(1, log.nextRow)
      update.bind(2, last)
      try update.run()
    }
    try loadLog()
  }

  /// Resets the derived state, except chains and their heads.
  private func forgetDerived() {
    log.nextRow = 1
    log.appliedTime = .distantPast
    log.ownTime = .distantPast
    log.stampedCommit = 0
    for (id, var chain) in log.lineages {
      chain.appliedSequence = chain.forkSequence
      chain.appliedTime = .distantPast
      log.lineages[id] = chain
    }
    lastIdentity = nil
    lastPlan = nil
    placements.removeAll()
    rowReaders.removeAll()
    columnUpdates.removeAll()
    blocks.removeAll()
  }

  /// Returns the numbers of all commits, in order of arrival.
  func commitNumbers() throws -> [Int64] {
    let statement = try connection.ownStatement("SELECT n FROM varve_commit ORDER BY n")
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int(0)) }
    return numbers
  }

  /// Derives the state from one commit of a log, which may be another session's.
  func replay(_ n: Int64, from source: Session) throws {
    let info = try source.commit(ofBlock: n)
    let commit = try source.commit(number: n)
    try storeDependencies(of: commit.header, lineage: info.lineage)
    if let latest = commit.header.latestCellTime { try storePostdated(n, latest) }
    guard try !source.isWithheld(n) else { return }
    try applyStored(commit, n: n, lineage: info.lineage)
  }
}
