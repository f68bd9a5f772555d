import Synchronization
import VarveCore

/// Sessions for reading a database, each used by one reader at a time.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [Session] = []
    var isClosed = false

    mutating func take(for moment: Moment) -> Session? {
      guard moment != .now, idle.count > 1 else { return idle.popLast() }
      let distances = idle.map { $0.past?.moment.distance(to: moment) ?? .max }
      let nearest = idle.indices.reversed().min { distances[$0] < distances[$1] }
      return nearest.map { idle.remove(at: $0) }
    }
  }

  private let name: DatabaseName
  private let watch: StatementWatch?
  private let openStores: OpenStores
  private let file: FileWatch?
  private let state = Mutex(State())

  /// The number of idle readers to keep; additional ones are created on demand and closed after
  /// use.
  private static let idleCapacity = 8

  init(
    _ name: DatabaseName,
    _ watch: StatementWatch?,
    _ openStores: OpenStores,
    _ file: FileWatch?
  ) {
    self.file = file
    self.name = name
    self.watch = watch
    self.openStores = openStores
  }

  /// Returns a session, preferably the one that last read the moment or one near it.
  func take(for moment: Moment = .now) throws -> Session {
    while let session = state.withLock({ $0.take(for: moment) }) {
      guard session.connection.isCurrent, session.connection.hasPresentKey else {
        try? session.close()
        continue
      }
      session.connection.adaptCache()
      return session
    }
    let connection = try Connection(name, isReadOnly: true, watch: watch, sharingWith: openStores)
    try file?.require(connection)
    return Session(connection)
  }

  func give(_ session: Session) {
    let isKept = state.withLock { state in
      guard !state.isClosed, state.idle.count < Self.idleCapacity else { return false }
      state.idle.append(session)
      return true
    }
    if !isKept { try? session.close() }
  }

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
