import Foundation
import Synchronization
package import VarveCore

/// The backend for one SQLite file, shared with other processes, or for a memory database.
package final class SQLiteBackend: Backend {
  /// The location of the database.
  package enum Location: Hashable, Sendable {
    case inMemory
    case file(String)
  }

  /// The options for opening a store.
  package struct Configuration: Sendable {
    /// The wall clock, in milliseconds since 1970.
    package var wallMilliseconds: @Sendable () -> Int64 = SystemClock.millisecondsSince1970
    /// The wall clock, if it is more precise than milliseconds.
    package var wallTime: (@Sendable () -> HybridTime)?
    /// The maximum lead of a foreign commit's stamp over the wall clock with which the commit still
    /// takes effect at once.
    package var toleranceMilliseconds = HybridClock.defaultToleranceMilliseconds
    package var isReadOnly = false
    package var createsIfMissing = true
    /// The replica id of a new store, or nil for a random one.
    package var replica: ReplicaID?
    /// The log's home, if it is not this file.
    package var home: (any LogHome)?
    /// The maximum number of touches that are kept unsorted.
    package var touchCapacity = 16_384
    /// Whether each write ends with a check of what the writer holds in memory, for tests.
    package var checksInvariants = false
    /// Receives the statements that run; nil for none.
    package var statementWatch: StatementWatch?

    package init() {}

    /// The time of the wall clock.
    var wall: HybridTime {
      wallTime?() ?? HybridTime(millisecondsSince1970: wallMilliseconds())
    }
  }

  let location: Location
  let configuration: Configuration
  let writer: Session
  let lock = WriteLock()
  let readers: ReaderPool
  let checkpointer: Checkpointer?
  private let wake = Mutex<Task<Void, Never>?>(nil)
  private let isClosed = Mutex(false)
  /// Places in the order of arrivals.
  let arrivalPositions = ArrivalPositions()
  /// Whether the home has commits of a write that the index could not keep.
  let isBehind = Mutex(false)
  /// The probes that were returned. Their connections keep the store's companion files in place.
  let probes = Mutex<[DataVersionProbe]>([])

  private init(
    _ location: Location,
    _ configuration: Configuration,
    writer: Session,
    readers: ReaderPool,
    checkpointer: Checkpointer?
  ) {
    self.location = location
    self.configuration = configuration
    self.writer = writer
    self.readers = readers
    self.checkpointer = checkpointer
  }

  /// Opens a store, or creates it if it does not exist and the configuration allows that.
  package static func open(
    _ location: Location,
    configuration: Configuration = Configuration()
  ) async throws -> SQLiteBackend {
    let name: DatabaseName
    switch location {
    case .inMemory: name = .memory()
    case .file(let path):
      name = .file(path)
      try StoreFile.examine(path, configuration)
    }
    let session = Session(
      try await StoreFile.retryingBusy {
        try Connection(
          name,
          isReadOnly: configuration.isReadOnly,
          watch: configuration.statementWatch
        )
      }
    )
    session.touches.capacity = configuration.touchCapacity
    try await StoreFile.prepare(session, configuration)
    let backend = SQLiteBackend(
      location,
      configuration,
      writer: session,
      readers: ReaderPool(name, configuration.statementWatch),
      checkpointer: name.isFile ? Checkpointer(path: StoreFile.resolved(name.path)) : nil
    )
    if !configuration.isReadOnly {
      try session.loadScrub()
      backend.scrubIfNeeded()
      try await backend.follow()
      try await backend.applyDueAtOpening()
      try await backend.wakeForWithheld()
    }
    return backend
  }

  package func replica() async throws -> ReplicaID {
    try await inspecting { try $0.log.own.replica }
  }

  func checkOpen() throws {
    guard !isClosed.withLock({ $0 }) else {
      throw VarveError(
        .closed,
        "the store was closed",
        at: writer.connection.place,
        remedy: "Open it again."
      )
    }
  }

  // MARK: Reading

  /// A memory database has no write-ahead log: its readers wait for the writer.
  package var readsDuringWrites: Bool { location != .inMemory }

  /// How long operations wait for the writer before them whose caller does not say how long.
  static let ownPatienceMilliseconds = 60_000

  package func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    try await withSession(for: moment) { try await body(SessionReader($0, at: moment)) }
  }

  /// Calls a closure with a session that reads the present, its catalogue refreshed.
  func inspecting<Result>(_ body: (Session) throws -> Result) async throws -> Result {
    try await withSession { session in
      try session.refreshCatalogue()
      return try body(session)
    }
  }

  /// Calls a closure with a session in a read transaction.
  ///
  /// - Parameters:
  ///   - moment: what will be read.
  ///   - mayBeBehind: whether the state may lack what only the home has.
  func withSession<Result>(
    for moment: Moment = .now,
    mayBeBehind: Bool = false,
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    try checkOpen()
    if !mayBeBehind { try await requireUpToDate() }
    guard location == .inMemory else { return try await readUnlocked(moment, body) }
    // A memory database has no write-ahead log, so readers and writers exclude each other.
    let isNested = Self.readIn == ObjectIdentifier(self)
    let patience = Self.ownPatienceMilliseconds
    guard try await lock.lockShared(isNested: isNested, patienceMilliseconds: patience) else {
      throw WriteTransaction.tooLong(patience, at: writer.connection.place)
    }
    defer { lock.unlockShared() }
    try checkOpen()
    return try await readMarked(moment, body)
  }

  /// Reads with a task-local mark that this task is inside a read.
  ///
  /// The body runs on the caller's actor: a closure that does not capture the isolation would run
  /// elsewhere.
  private func readMarked<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ moment: Moment,
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    try await Self.$readIn.withValue(ObjectIdentifier(self)) {
      _ = isolation
      return try await readUnlocked(moment, body)
    }
  }

  /// The memory store that this task is reading, if any.
  @TaskLocal private static var readIn: ObjectIdentifier?

  private func readUnlocked<Result>(
    _ moment: Moment,
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    let session = try readers.take(for: moment)
    defer { readers.give(session) }
    try session.begin()
    defer { session.end() }
    return try await body(session)
  }

  // MARK: Writing

  package func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    let told = { (answer: (result: Result, receipt: WriteReceipt?)) in
      if let receipt = answer.receipt { request.committed?(receipt.commit) }
    }
    let patience = request.patienceMilliseconds
    return try await exclusively(patienceMilliseconds: patience, committed: told) { session in
      try session.requirePresent()
      session.applying.unseen = try session.log.beginCommit(
        request,
        wall: configuration.wall,
        toleranceMilliseconds: configuration.toleranceMilliseconds
      )
      guard let pending = session.log.pending else {
        throw VarveError(.inputOutput, "a commit could not be begun")
      }
      let writer = SessionWriter(session, pending)
      let result = try await body(writer)
      if let failure = writer.failure { throw failure }
      try Task.checkCancellation()
      let summary = try session.log.finishCommit()
      if let summary { session.rows.settle(summary.id) }
      return (result, summary.map { WriteReceipt(commit: $0) })
    }
  }

  package func append(_ commits: [Commit]) async throws -> AppendReport {
    let report = try await exclusively { session in
      try session.append(
        commits,
        wallMilliseconds: configuration.wallMilliseconds(),
        toleranceMilliseconds: configuration.toleranceMilliseconds
      )
    }
    if report.withheldCount > 0 { try await wakeForWithheld() }
    return report
  }

  /// Runs a body while holding the write locks of this process and of the file. The transaction is
  /// committed if the body returns, and rolled back if it throws.
  func exclusively<Result>(
    patienceMilliseconds: Int = ownPatienceMilliseconds,
    committed: (Result) -> Void = { _ in },
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    guard let home = configuration.home else {
      return try await locked(
        patienceMilliseconds: patienceMilliseconds,
        publish: nil,
        committed: committed,
        body
      )
    }
    try checkOpen()
    return try await home.exclusively(patienceMilliseconds: patienceMilliseconds) { turn in
      try await follow(turn, patienceMilliseconds: patienceMilliseconds)
      return try await locked(
        patienceMilliseconds: patienceMilliseconds,
        publish: turn,
        committed: committed,
        body
      )
    }
  }

  /// Holds the write lock of this process and of the file around a transaction.
  ///
  /// - Parameter publish: the turn at the home that is to have what the body writes.
  func locked<Result>(
    patienceMilliseconds: Int,
    publish turn: (any HomeTurn)?,
    committed: (Result) -> Void = { _ in },
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    try checkOpen()
    guard !configuration.isReadOnly else {
      throw VarveError(
        .readOnly,
        "the store was opened read-only",
        at: writer.connection.place,
        remedy: "Open it for writing."
      )
    }
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    guard try await lock.lock(patienceMilliseconds: patienceMilliseconds) else {
      throw WriteTransaction.tooLong(patienceMilliseconds, at: writer.connection.place)
    }
    defer { lock.unlock() }
    try checkOpen()
    let transaction = WriteTransaction(writer)
    try await transaction.begin(until: deadline, patienceMilliseconds: patienceMilliseconds)
    do {
      try writer.refresh()
      try writer.log.refresh()
      _ = try writer.applyDue(
        wallMilliseconds: configuration.wallMilliseconds(),
        toleranceMilliseconds: configuration.toleranceMilliseconds
      )
      if turn != nil { writer.log.replaced = [] }
      let first = writer.log.state.nextBlock
      let result = try await body(writer)
      let checks = configuration.checksInvariants
      if let turn, try await publish(writer, from: first, turn) {
        // The home has the commit: it is written, whether or not the index can keep it now.
        do {
          try await conclude(writer, from: first, turn)
          try transaction.commit(checksInvariants: checks)
        } catch {
          fallBehind(transaction)
        }
      } else {
        if let turn { try await conclude(writer, from: first, turn) }
        try transaction.commit(checksInvariants: checks)
      }
      committed(result)
      scrubIfNeeded()
      checkpointer?.checkpointIfDue(writer.connection)
      return result
    } catch {
      transaction.rollback()
      writer.rollBackScrub()
      throw error
    }
  }

  private func fallBehind(_ transaction: WriteTransaction) {
    transaction.rollback()
    writer.rollBackScrub()
    isBehind.withLock { $0 = true }
  }

  package func addIndex(on key: PropertyKey, of type: EntityType) async throws {
    try await exclusively { session in
      try session.catalogue.addIndex(on: key, of: type)
    }
  }

  package func addSearch(on keys: [PropertyKey], of type: EntityType) async throws {
    try await exclusively { session in
      try session.addSearch(on: keys, of: type)
    }
  }

  // MARK: Withheld commits

  /// Applies withheld commits that became due while the store was closed. If another process is
  /// writing, that process applies them.
  private func applyDueAtOpening() async throws {
    guard let next = try await nextWithheld(), delay(until: next) == 0 else { return }
    try? await exclusively(patienceMilliseconds: 1_000) { _ in }
  }

  private func nextWithheld(after time: HybridTime = .distantPast) async throws -> HybridTime? {
    try await inspecting { try $0.log.nextWithheld(after: time) }
  }

  /// Returns the milliseconds until a withheld commit takes effect.
  private func delay(until time: HybridTime) -> Int64 {
    let due = time.millisecondsSince1970 - configuration.toleranceMilliseconds
    return max(0, due - configuration.wallMilliseconds())
  }

  /// Schedules the application of withheld commits for when they are due.
  ///
  /// - Parameter time: commits stamped up to it are skipped. They were due already; one that is
  ///   still withheld cannot be read.
  func wakeForWithheld(after time: HybridTime = .distantPast) async throws {
    guard let next = try await nextWithheld(after: time) else { return }
    let delay = delay(until: next)
    let task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(min(delay, 3_600_000)))
      guard !Task.isCancelled, let self else { return }
      try? await self.exclusively(patienceMilliseconds: 5_000) { _ in }
      let now = self.configuration.wallMilliseconds() + self.configuration.toleranceMilliseconds
      let isDue = next.millisecondsSince1970 <= now
      try? await self.wakeForWithheld(after: isDue ? next : time)
    }
    wake.withLock { old in
      old?.cancel()
      old = task
    }
  }

  package func close() async throws {
    let wasClosed = isClosed.withLock { closed in
      defer { closed = true }
      return closed
    }
    guard !wasClosed else { return }
    wake.withLock { $0?.cancel() }
    _ = try await lock.lock(patienceMilliseconds: Self.ownPatienceMilliseconds)
    defer { lock.unlock() }
    readers.close()
    for probe in probes.withLock({ $0 }) { probe.close() }
    if !configuration.isReadOnly { scrubIfNeeded() }
    if !configuration.isReadOnly { checkpointer?.checkpointForClosing(writer.connection) }
    try writer.close()
    try await configuration.home?.close()
    if configuration.isReadOnly { tidyAfterReading() }
  }

  /// Removes the companion files of a store that was opened read-only.
  ///
  /// A read-only connection cannot remove them. If the log is empty, a connection that may write is
  /// opened and closed, which leaves the store's file unchanged.
  private func tidyAfterReading() {
    guard case .file(let path) = location else { return }
    let log = StoreFile.resolved(path) + "-wal"
    let attributes = try? FileManager.default.attributesOfItem(atPath: log)
    guard attributes?[.size] as? Int == 0,
      let connection = try? Connection(.file(path), isReadOnly: false)
    else { return }
    connection.cleansUpOnClosing(true)
    _ = try? connection.integer("SELECT count(*) FROM sqlite_master")
    try? connection.close()
  }
}
