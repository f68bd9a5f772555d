import VarveCore

/// The transaction around a write: what the session knew before, so that nothing of a failed one
/// stays.
struct WriteTransaction {
  private let session: Session
  private let catalogue: Catalogue
  private let log: LogState

  init(_ session: Session) {
    self.session = session
    catalogue = session.catalogue
    log = session.log
  }

  static func tooLong(_ milliseconds: Int, at place: String) -> VarveError {
    VarveError(
      .busy,
      "somebody else held the store for more than \(milliseconds) ms",
      at: place,
      remedy: "Try again when the other has finished."
    )
  }

  /// Takes SQLite's write lock, which another process may hold; waiting suspends.
  func begin(until deadline: ContinuousClock.Instant, patienceMilliseconds: Int) async throws {
    var pause = 1
    while true {
      do {
        try session.connection.statement("BEGIN IMMEDIATE").run()
        session.isWriting = true
        return
      } catch let error as VarveError where error.code == .busy {
        guard ContinuousClock.now < deadline else {
          throw Self.tooLong(patienceMilliseconds, at: session.connection.place)
        }
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(pause * 2, 20)
      }
    }
  }

  func commit() throws {
    try session.writeBufferedRow()
    if session.past != nil { try session.dropPast() }
    try session.storeRecentTouches()
    try session.connection.statement("COMMIT").run()
    finish()
    let version = session.connection.dataVersion
    session.dataVersion = version
    session.recentTouches.noteCommitted(version: version)
  }

  func rollback() {
    if !session.connection.isAutocommit {
      try? session.connection.statement("ROLLBACK").run()
    }
    session.forgetCopies()
    session.catalogue = catalogue
    session.log = log
    finish()
  }

  private func finish() {
    session.isWriting = false
    session.replaced = nil
    session.pending = nil
    session.lastIdentity = nil
    session.endTogether()
  }
}
