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

  /// The database, with its key.
  let name: DatabaseName
  let location: Location
  let configuration: Configuration
  let place: String
  let slot: WriterSlot
  let lock = WriteLock()
  let readers: ReaderPool
  let checkpointer: Checkpointer
  /// Watches the file; nil in memory.
  let file: FileWatch?
  /// Flushes the log; nil in memory.
  let flusher: LogFlusher?
  let wake = Mutex<Task<Void, Never>?>(nil)
  /// What readers know of commits that take effect later.
  let withheld = Mutex(WithheldNews())
  private let isClosed = Mutex(false)
  /// The writes that wait to share a turn at the home.
  let group = WriteGroup()
  /// Places in the order of arrivals.
  let arrivalPositions = ArrivalPositions()
  /// What is known of the index's place at its home.
  let homePlace = Mutex(HomePlace())
  /// Whether the store is the index of a home.
  let hasHome: Bool
  /// How many milliseconds the home's clock was ahead of this host's at the last turn.
  let homeLead = Mutex<Int64>(0)
  /// The task that follows the home's announcements.
  private let following = Mutex<Task<Void, Never>?>(nil)
  /// The probes that were returned. Their connections keep the store's companion files in place.
  let probes = Mutex<[DataVersionProbe]>([])

  init(
    _ name: DatabaseName,
    _ location: Location,
    _ configuration: Configuration,
    _ slot: WriterSlot,
    place: String,
    readers: ReaderPool,
    checkpointer: Checkpointer,
    file: FileWatch?
  ) {
    self.file = file
    self.name = name
    self.location = location
    self.configuration = configuration
    hasHome = configuration.home != nil
    self.slot = slot
    self.place = place
    self.readers = readers
    self.checkpointer = checkpointer
    flusher =
      switch location {
      case .inMemory: nil
      case .file(let path): LogFlusher(path, configuration.flush)
      }
  }

  func startFollowing() {
    let task = Task { [weak self, home = configuration.home] in
      guard let heads = home?.heads() else { return }
      // What fails now is repeated at the next announcement, read or write.
      for await head in heads { try? await self?.applyArrivals(announcedBy: head) }
    }
    following.withLock { $0 = task }
  }

  package func replica() async throws -> ReplicaID {
    try await inspecting { try $0.log.own.replica }
  }

  func checkOpen() throws {
    try checkNotClosed()
    try configuration.suspension.refuse(at: place)
  }

  func checkNotClosed() throws {
    guard !isClosed.withLock({ $0 }) else {
      throw VarveError(
        .closed,
        "the store was closed",
        at: place,
        remedy: "Open it again."
      )
    }
  }

  // MARK: Reading

  /// The time that operations wait for another writer if their caller gives no limit.
  static let ownPatienceMilliseconds = 60_000

  package func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    try await withSession(for: moment) { try await body(SessionReader($0, at: moment)) }
  }

  package func readLives<Result>(
    at frontier: Frontier,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    try await withSession(for: .frontier(frontier)) {
      try await body(SessionReader($0, at: .frontier(frontier), livesOnly: true))
    }
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
    if hasHome, !mayBeBehind { try await requireUpToDate() }
    let session = try await takeReading(moment)
    let result: Result
    do {
      defer { readers.give(session) }
      result = try await readCurrent(session, body)
    }
    noteUse()
    if FairTurns.isDue() { await Task.yield() }
    return result
  }

  /// Returns a session in a read transaction.
  private func takeReading(_ moment: Moment) async throws -> Session {
    while true {
      let session = try await takeUnlocked(moment)
      do {
        try await beginReading(session)
        if name.key?.isChanging == true { try session.connection.readFirstPage() }
        return session
      } catch {
        session.end()
        defer { readers.give(session) }
        try requireCurrent(session)
        guard mayReadAgain(after: error) else { throw error }
      }
      try await Task.sleep(for: Self.keyPause)
    }
  }

  /// Takes a session, whose key may be the former one while the key is changed.
  private func takeUnlocked(_ moment: Moment) async throws -> Session {
    while true {
      do { return try readers.take(for: moment) } catch {
        guard mayReadAgain(after: error) else { throw error }
      }
      try await Task.sleep(for: Self.keyPause)
    }
  }

  /// The pause before a read is tried again because the key is being changed.
  private static let keyPause = Duration.milliseconds(5)

  /// Whether a read failed only because the key is being changed.
  private func mayReadAgain(after error: any Error) -> Bool {
    name.key != nil && error as? VarveError == Encryption.keyChanging(at: name.place)
  }

  private func readCurrent<Result>(
    _ session: Session,
    _ body: (Session) async throws -> Result
  ) async throws -> Result {
    let result: Result
    do {
      defer { session.end() }
      result = try await body(session)
    } catch {
      // What another user was writing may have looked damaged.
      try requireCurrent(session)
      throw error
    }
    try requireCurrent(session)
    return result
  }

  /// Throws if a file that was read alone changed during the read.
  private func requireCurrent(_ session: Session) throws {
    guard !session.connection.isCurrent else { return }
    throw VarveError(
      .busy,
      "the store was written while it was read",
      at: place,
      remedy: "Read again."
    )
  }

  // MARK: Closing

  package func close() async throws {
    let wasClosed = isClosed.withLock { closed in
      defer { closed = true }
      return closed
    }
    guard !wasClosed else { return }
    wake.withLock { $0?.cancel() }
    following.withLock { $0?.cancel() }
    _ = try await lock.lock(patienceMilliseconds: Self.ownPatienceMilliseconds)
    defer { lock.unlock() }
    configuration.openStores.noteClosing(of: self)
    readers.close()
    for probe in probes.withLock({ $0 }) { probe.close() }
    // Another process may have removed the file since it was used last.
    let mayWrite = !configuration.isReadOnly && !configuration.suspension.isOn
    if mayWrite, let writer = try? slot.open() {
      scrubIfNeeded(writer)
      switch writer.connection.logFate {
      case .kept where file?.hasName == false: checkpointer.checkpointForLeaving(writer.connection)
      case .kept: checkpointer.checkpointForClosing(writer.connection)
      case .removed: checkpointer.rescue(writer.connection)
      // It was moved together with the file. Whoever opens that reads it.
      case .moved: break
      }
    }
    try slot.close()
    try await configuration.home?.close()
    if configuration.isReadOnly, !configuration.suspension.isOn { StoreFile.tidy(name) }
  }
}
