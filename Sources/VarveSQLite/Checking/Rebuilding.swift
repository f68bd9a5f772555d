package import VarveCore

extension SQLiteBackend {
  package func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws {
    try await exclusively { session in
      try session.rebuild(progress)
    }
  }
}

extension Session {
  /// Drops everything derived from the log, and derives it again.
  func rebuild(_ progress: (RebuildProgress) -> Void) throws {
    try touches.remake {
      finalizeStatements()
      try dropTables()
      try connection.execute(Schema.derived)
    }
    try catalogue.startOver()
    forgetDerived()
    if log.view != nil { try judgeForRebuild() }
    let numbers = try log.commitNumbers()
    for (index, n) in numbers.enumerated() {
      try requireRunning()
      try replay(n, from: self)
      progress(RebuildProgress(commitCount: index + 1, totalCount: numbers.count))
    }
    try log.storeNextRow()
    try log.reload()
  }

  /// Resets the derived state, except chains and their heads.
  private func forgetDerived() {
    log.forgetDerived()
    rows = RowMemory()
    plans.forget()
  }

  /// Derives the state from one commit of a log, which may be another session's.
  func replay(_ n: Int64, from source: Session) throws {
    let info = try source.log.commit(ofBlock: n)
    let commit = try source.log.commit(number: n)
    try log.storeDependencies(of: commit.header, chainID: info.chainID)
    if let latest = commit.header.latestCellTime { try log.storePostdated(n, latest) }
    if log.view != nil { return try refold(commit, n: n, chainID: info.chainID) }
    guard try !source.log.isWithheld(n) else { return }
    try applyStored(commit, n: n, chainID: info.chainID)
  }
}
