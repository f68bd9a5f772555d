import Synchronization
import VarveCore

/// Sessions for reading a database, each used by one reader at a time.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [Session] = []
    /// The number of readers in use.
    var activeCount = 0
    /// Whether no reader is kept after its use.
    var isClosed = false
    var isSuspended = false

    /// Counts a reader, and returns one if any is idle.
    mutating func take(for moment: Moment) -> Session? {
      activeCount += 1
      return takeIdle(for: moment)
    }

    private mutating func takeIdle(for moment: Moment) -> Session? {
      guard moment != .now, idle.count > 1 else { return idle.popLast() }
      let distances = idle.map { $0.past?.moment.distance(to: moment) ?? .max }
      let nearest = idle.indices.reversed().min { distances[$0] < distances[$1] }
      return nearest.map { idle.remove(at: $0) }
    }
  }

  private let name: DatabaseName
  private let configuration: SQLiteBackend.Configuration
  private let file: FileWatch?
  private let state = Mutex(State())

  /// The number of idle readers to keep; additional ones are created on demand and closed after
  /// use.
  private static let idleCapacity = 8

  init(
    _ name: DatabaseName,
    _ configuration: SQLiteBackend.Configuration,
    _ file: FileWatch?
  ) {
    self.file = file
    self.name = name
    self.configuration = configuration
  }

  /// Returns a session, preferably the one that last read the moment or one near it.
  func take(for moment: Moment = .now) throws -> Session {
    while let session = try takeIdle(for: moment) {
      guard session.connection.isCurrent, session.connection.hasPresentKey else {
        try? session.close()
        countEnd()
        continue
      }
      session.connection.adaptCache()
      return session
    }
    do {
      return try make()
    } catch {
      countEnd()
      throw error
    }
  }

  private func takeIdle(for moment: Moment) throws -> Session? {
    try state.withLock { state in
      guard !state.isSuspended else { throw Suspension.error(at: name.place) }
      return state.take(for: moment)
    }
  }

  private func make() throws -> Session {
    let connection = try Connection(
      name,
      isReadOnly: true,
      watch: configuration.statementWatch,
      sharingWith: configuration.openStores
    )
    connection.interrupter.suspension = configuration.suspension
    try file?.require(connection)
    return Session(connection, sealing: configuration.sealing)
  }

  private func countEnd() { state.withLock { $0.activeCount -= 1 } }

  func give(_ session: Session) {
    let isKept = state.withLock { state in
      let isKept =
        !state.isClosed && !state.isSuspended && state.idle.count < Self.idleCapacity
      guard isKept else { return false }
      state.activeCount -= 1
      state.idle.append(session)
      return true
    }
    guard !isKept else { return }
    try? session.close()
    countEnd()
  }

  /// The number of readers in use.
  var activeCount: Int { state.withLock { $0.activeCount } }

  /// Closes the idle readers, and lets none be taken. Those in use are closed after their use.
  func suspend() {
    state.withLock { $0.isSuspended = true }
    closeIdle()
  }

  func resume() { state.withLock { $0.isSuspended = false } }

  /// Calls the body with each idle reader. None is taken meanwhile.
  func forEachIdle(_ body: (Session) -> Void) {
    state.withLock { state in for session in state.idle { body(session) } }
  }

  /// Closes the idle readers, with their caches.
  func closeIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for session in idle { try? session.close() }
  }

  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for session in idle { try? session.close() }
  }
}

extension Moment {
  /// How far two moments are apart: 0 if they are the same, the greatest number if that is not
  /// known.
  fileprivate func distance(to other: Moment) -> UInt64 {
    if self == other { return 0 }
    guard case .time(let one) = self, case .time(let two) = other else { return .max }
    return
      (one.rawValue > two.rawValue ? one.rawValue &- two.rawValue : two.rawValue &- one.rawValue)
      .magnitude
  }
}
