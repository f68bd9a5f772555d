import VarveCore

/// Writes that share a turn at the home, or a transaction of a file that is flushed after it.
extension SQLiteBackend {
  /// Writes a commit in a turn or a transaction that other writes of this process may share.
  ///
  /// The body runs once, in this task. It waits for the bodies of other writes, so it must not be a
  /// closure of the application.
  func writeInGroup<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    try checkOpen()
    if group.beginAlone() {
      defer { if group.endAlone() { Task { await driveGroups() } } }
      return try await writeAlone(request, body)
    }
    let member = WriteGroup.Member(patienceMilliseconds: request.patienceMilliseconds)
    if group.add(member) { Task { await driveGroups() } }
    let session = try await turn(of: member)
    let answer: (result: Result, receipt: WriteReceipt?)
    do {
      let savepoint = try GroupSavepoint(session)
      do {
        answer = try await perform(request, in: session, body)
        try session.endGroupedWrite()
        try savepoint.release()
      } catch {
        do { try savepoint.undo() } catch let broken {
          // The whole transaction fails, for every member of the group.
          member.done.set(.failure(broken))
        }
        throw error
      }
    } catch {
      member.done.set(.success(false))
      throw error
    }
    member.notify = { [receipt = answer.receipt] in
      if let receipt { request.committed?(receipt) }
    }
    member.done.set(.success(true))
    do {
      try await member.end.value()
    } catch let error as VarveError where error.code == .outcomeUnknown {
      throw answer.receipt.map {
        Self.outcomeUnknown($0.commit.id, HomeOutcomeUnknown(error.message, cause: error.cause))
      } ?? error
    }
    return answer
  }

  /// Waits for the turn of a write. Cancelling the task ends it, and so does the end of its
  /// patience.
  private func turn(of member: WriteGroup.Member) async throws -> Session {
    let patience = member.patienceMilliseconds
    let limit = Deadlines.shared.add(.now + .milliseconds(patience)) { [place] in
      member.turn.set(.failure(VarveError.tooLong(patience, at: place)))
    }
    defer { Deadlines.shared.remove(limit) }
    do {
      return try await withTaskCancellationHandler {
        try await member.turn.value().session
      } onCancel: {
        member.turn.set(.failure(CancellationError()))
      }
    } catch {
      group.remove(member)
      throw error
    }
  }

  /// Takes turns for the writes that wait, until none does.
  private func driveGroups() async {
    while let patience = group.patience() {
      let taken = Taken()
      do {
        try await exclusively(
          patienceMilliseconds: patience,
          committed: { _ in taken.conclude() },
          { session in try await runGroup(taken, in: session) }
        )
      } catch {
        for member in taken.members { member.end.set(.failure(error)) }
        // The writers that wait would fail for the same reason.
        if taken.members.isEmpty { group.refuse(error) }
      }
      group.noteTurn(of: taken.members.count)
    }
  }

  /// Lends the session to one write after another.
  private func runGroup(_ taken: Taken, in session: Session) async throws {
    try session.connection.keepChangedPages()
    while taken.members.count < WriteGroup.limit, let member = group.next() {
      // One that has given up meanwhile is left out.
      guard member.turn.set(.success(WriteGroup.SessionLoan(session: session))) else { continue }
      if try await member.done.value() { taken.members.append(member) }
    }
  }

  /// The writes that share a turn.
  private final class Taken {
    var members: [WriteGroup.Member] = []

    /// Lets them go on, in the order of their commits.
    func conclude() {
      for member in members {
        member.notify()
        member.end.set(.success(()))
      }
    }
  }
}

/// A point between two commits of a transaction, to which everything later can be undone.
struct GroupSavepoint {
  private let session: Session
  private let catalogue: Catalogue
  private let log: LogTables.Mark
  private let forgetting: ForgettingState

  init(_ session: Session) throws {
    try session.writeBufferedRow()
    try session.touches.store()
    self.session = session
    (catalogue, log) = (session.catalogue.copy, session.log.mark)
    forgetting = session.forgetting
    try session.connection.beginSavepoint("member")
  }

  /// Keeps everything since.
  func release() throws { try session.connection.releaseSavepoint("member") }

  /// Undoes everything since.
  func undo() throws {
    session.endTogether()
    try session.connection.statement("ROLLBACK TO member").run()
    try session.connection.releaseSavepoint("member")
    session.log.pending = nil
    session.forgetCopies()
    session.catalogue.restore(catalogue)
    session.log.goBack(to: log)
    session.dropRelevances()
    let wasForgetting = session.forgetting.isOn
    session.forgetting = forgetting
    if wasForgetting, !forgetting.isOn {
      try session.connection.execute("PRAGMA secure_delete = OFF")
    }
  }
}
