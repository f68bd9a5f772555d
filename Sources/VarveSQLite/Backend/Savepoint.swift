import VarveCore

/// A point in a commit that is being written, to which everything later can be undone.
///
/// SQLite restores the tables. The session's copies of them are restored here, or discarded and
/// read again.
struct Savepoint {
  private let session: Session
  private let pending: PendingCommit
  private let mark: PendingCommit.Mark
  private let catalogue: Catalogue
  private let log: LogTables.Mark
  private let past: PastTables?
  private let forgetting: ForgettingState

  /// Writes buffered rows and touches, so that the tables are complete, and begins the savepoint.
  init(_ session: Session, _ pending: PendingCommit) throws {
    mark = try pending.mark { try session.log.store($0, number: $1) }
    try session.writeBufferedRow()
    try session.touches.store()
    (self.session, self.pending) = (session, pending)
    (catalogue, log, past) = (session.catalogue.copy, session.log.mark, session.past)
    forgetting = session.forgetting
    try session.connection.beginSavepoint("attempt")
  }

  /// Keeps everything since.
  func release() throws { try session.connection.releaseSavepoint("attempt") }

  /// Undoes everything since.
  func undo() throws {
    session.applying.deferred = nil
    try session.connection.statement("ROLLBACK TO attempt").run()
    try session.connection.releaseSavepoint("attempt")
    pending.undo(to: mark)
    session.forgetCopies()
    session.catalogue.restore(catalogue)
    session.log.goBack(to: log)
    session.past = past
    let wasForgetting = session.forgetting.isOn
    session.forgetting = forgetting
    if wasForgetting, !forgetting.isOn {
      try session.connection.execute("PRAGMA secure_delete = OFF")
    }
  }
}
