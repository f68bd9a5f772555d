import VarveCore

/// SQLite's transaction around a write of a session. It saves what the session knew before, to
/// restore it if the write fails.
struct SessionTransaction {
  private let session: Session
  private let catalogue: Catalogue
  private let log: LogState

  init(_ session: Session) {
    self.session = session
    catalogue = session.catalogue.copy
    log = session.log.state
  }

  /// Takes SQLite's write lock, which another process may hold. The task is suspended while it
  /// waits.
  func begin(until deadline: ContinuousClock.Instant, patienceMilliseconds: Int) async throws {
    var pause = 1
    while true {
      try session.requireRunning()
      do {
        try session.connection.statement(.beginWriting).run()
        session.isWriting = true
        return
      } catch let error as VarveError where error.code == .busy {
        guard ContinuousClock.now < deadline else {
          throw VarveError.tooLong(patienceMilliseconds, at: session.connection.place)
        }
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(pause * 2, 20)
      }
    }
  }

  func commit(checksInvariants: Bool) throws {
    try session.writeBufferedRow()
    if session.past != nil { try session.dropPast() }
    session.pastNotes = nil
    try session.touches.store()
    if checksInvariants { try session.checkInvariants() }
    try session.connection.commit()
    finish()
    let version = session.connection.dataVersion
    session.dataVersion = version
    session.log.noteCommitted(version: version)
    session.touches.noteCommitted(version: version)
  }

  func rollback() {
    if !session.connection.isAutocommit {
      try? session.connection.statement("ROLLBACK").run()
    }
    session.forgetCopies()
    session.catalogue.restore(catalogue)
    session.log.restore(log)
    finish()
  }

  private func finish() {
    session.isWriting = false
    session.connection.endSavepoints()
    session.dropRelevances()
    session.rows.identity = nil
    session.log.news = nil
    session.endTogether()
  }
}
