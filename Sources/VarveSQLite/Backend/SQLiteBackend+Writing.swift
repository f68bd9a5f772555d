import Synchronization
package import VarveCore

/// Transactions that write.
extension SQLiteBackend {
  package func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    // Where many tasks wait for the disk, a transaction of each would take longer than its flush.
    let waitsForDisk = configuration.isSynchronized && flusher != nil
    let mayShare = request.sharesTurn && (configuration.home != nil || waitsForDisk)
    let answer =
      mayShare
      ? try await writeInGroup(request, body) : try await writeAlone(request, body)
    // The next writer's turn has begun: its commit may share the flush.
    if configuration.isSynchronized, let receipt = answer.receipt {
      try await flushIfSynchronized(receipt.commit.id)
    }
    return answer
  }

  /// Writes a commit in a turn of its own.
  func writeAlone<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    let notify = { (answer: (result: Result, receipt: WriteReceipt?)) in
      if let receipt = answer.receipt { request.committed?(receipt) }
    }
    return try await exclusively(
      patienceMilliseconds: request.patienceMilliseconds,
      committed: notify
    ) { session in
      try await perform(request, in: session, body)
    }
  }

  /// Writes a commit in an open transaction.
  func perform<Result>(
    _ request: WriteRequest,
    in session: Session,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    try session.requirePresent()
    if configuration.home == nil { try session.leaveHome() }
    session.applying.unseen = UnseenCommits(
      chains: try session.log.beginCommit(
        request,
        wall: session.wall,
        toleranceMilliseconds: configuration.toleranceMilliseconds
      )
    )
    guard let pending = session.log.pending else {
      throw VarveError(.inputOutput, "a commit could not be begun")
    }
    let writer = SessionWriter(session, pending)
    let result = try await body(writer)
    if let failure = writer.failure { throw failure }
    try Task.checkCancellation()
    let receipt = try session.log.finishCommit()
    if let receipt { session.rows.settle(receipt.commit.id) }
    if pending.proposesPurge, try session.log.isMembershipHome() {
      try session.log.sealing?.actAtHome(SessionDesk(session))
    }
    return (result, receipt)
  }

  package func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    let report = try await exclusively { session in
      var intake = try intake(session, outline)
      for commit in commits { try intake.add(commit) }
      return try intake.finish()
    }
    if report.withheldCount > 0 { try await wakeForWithheld() }
    try await flushIfSynchronized(nil)
    return report
  }

  /// Makes an intake of commits from the current caller.
  func intake(_ session: Session, _ outline: Horizon?) throws -> Intake {
    guard outline == nil || configuration.home == nil else { throw Horizon.homeTakesWhole }
    try requireRelayHere(session)
    return Intake(
      session,
      .caller(LogCaller.current),
      outline: outline,
      toleranceMilliseconds: configuration.toleranceMilliseconds
    )
  }

  /// Runs a body while holding the write locks of this process and of the file. The transaction is
  /// committed if the body returns, and rolled back if it throws.
  func exclusively<Result>(
    patienceMilliseconds: Int = ownPatienceMilliseconds,
    committed: (Result) -> Void = { _ in },
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    guard let home = configuration.home else {
      let result = try await locked(
        patienceMilliseconds: patienceMilliseconds,
        turn: nil,
        committed: committed,
        body
      )
      noteUse()
      if FairTurns.isDue() { await Task.yield() }
      return result
    }
    try checkOpen()
    return try await inTurn(
      at: home,
      patienceMilliseconds: patienceMilliseconds,
      committed: committed,
      body
    )
  }

  /// Does what a transaction does before its body: applies withheld commits that are due and, at a
  /// home, the arrivals that the index lacks.
  func runDueWork(patienceMilliseconds: Int = ownPatienceMilliseconds) async throws {
    try await exclusively(patienceMilliseconds: patienceMilliseconds) { _ in }
  }

  /// Holds the write lock of this process and of the file around a transaction.
  ///
  /// - Parameters:
  ///   - turn: the turn at the home that is to have what the body writes; nil without a home, or if
  ///     the body only applies what the home has.
  ///   - written: is called with the result and the last commit before the home commits.
  func locked<Result>(
    patienceMilliseconds: Int,
    turn: Turn?,
    written: (Result, CommitID?) -> Void = { _, _ in },
    committed: (Result) -> Void = { _ in },
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    try requireWritable()
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    // Mostly it is free, and a call that does not wait costs no frame.
    if !lock.lockIfFree() {
      guard try await lock.lock(patienceMilliseconds: patienceMilliseconds) else {
        throw VarveError.tooLong(patienceMilliseconds, at: place)
      }
    }
    defer {
      // The suspension may have stopped waiting for this write.
      if configuration.suspension.isOn { closeWriter() }
      lock.unlock()
    }
    try checkOpen()
    let writer: Session
    if let session = slot.session {
      writer = session
    } else {
      writer = try await StoreFile.retryingBusy { try slot.open() }
    }
    writer.connection.adaptCache()
    let transaction = SessionTransaction(writer)
    try await transaction.begin(until: deadline, patienceMilliseconds: patienceMilliseconds)
    do {
      try prepare(writer, turn)
      let first = writer.log.state.nextBlock
      let result = try await body(writer)
      try file?.requireNames(of: writer.connection)
      let checks = configuration.checksInvariants
      if let head = try await turn?.publish(writer, from: first, written: { written(result, $0) }) {
        // The home has the commit: it is written, whether or not the index can keep it now.
        do {
          try transaction.commit(checksInvariants: checks)
          homePlace.withLock { $0.note(head) }
        } catch {
          fallBehind(transaction, writer)
        }
      } else {
        try transaction.commit(checksInvariants: checks)
      }
      committed(result)
      scrubIfNeeded(writer)
      checkpointer.checkpointIfDue(writer.connection)
      return result
    } catch {
      transaction.rollback()
      writer.rollBackScrub()
      throw error
    }
  }

  func requireWritable() throws {
    try checkOpen()
    guard configuration.isReadOnly else { return }
    if let refusal = configuration.refusal { throw refusal }
    throw VarveError(
      .readOnly,
      "the store was opened read-only",
      at: place,
      remedy: "Open it for writing."
    )
  }

  /// Brings a writer's copies up to date at the beginning of a transaction, and applies withheld
  /// commits that are due.
  private func prepare(_ writer: Session, _ turn: Turn?) throws {
    writer.wall = try turn?.time ?? configuration.wall
    try writer.refresh()
    try writer.log.refresh()
    if configuration.home != nil { writer.log.news = HomeNews() }
    // At a home, withheld commits take effect when the home says so.
    if turn != nil || configuration.home == nil {
      try writer.applyDue(toleranceMilliseconds: configuration.toleranceMilliseconds)
    }
  }

  private func fallBehind(_ transaction: SessionTransaction, _ writer: Session) {
    transaction.rollback()
    writer.rollBackScrub()
    homePlace.withLock { $0.isBehind = true }
  }

  package func addIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    try await exclusively { session in
      try session.catalogue.addIndex(on: keys, of: type)
    }
  }

  package func removeIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    try await exclusively { session in
      session.finalizeStatements()
      try session.catalogue.removeIndex(on: keys, of: type)
    }
  }

  package func addSearch(on wishes: [SearchWish], of type: EntityType) async throws {
    try await exclusively { session in
      try session.addSearch(on: wishes, of: type)
    }
  }

  package func removeSearch(on keys: [PropertyKey], of type: EntityType) async throws {
    try await exclusively { session in
      try session.removeSearch(on: keys, of: type)
    }
  }
}
