import Synchronization
import VarveCore

/// Sessions for reading a database, each used by one reader at a time.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [Session] = []
    var isClosed = false
  }

  private let name: DatabaseName
  private let state = Mutex(State())

  /// Readers kept when idle; more are made when needed and closed after.
  private static let idleCapacity = 8

  init(_ name: DatabaseName) { self.name = name }

  func take() throws -> Session {
    if let session = state.withLock({ $0.idle.popLast() }) { return session }
    return Session(try Connection(name, isReadOnly: true))
  }

  func give(_ session: Session) {
    let isKept = state.withLock { state in
      guard !state.isClosed, state.idle.count < Self.idleCapacity else { return false }
      state.idle.append(session)
      return true
    }
    if !isKept { try? session.close() }
  }

  /// Closes the readers nobody uses, with all they remember.
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

extension Session {
  /// Begins to read one state.
  func begin() throws { try connection.statement(.begin).run() }

  /// Ends reading it.
  func end() {
    if !pastViews.isEmpty { showTables() }
    _ = try? connection.statement(.commit).run()
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
  }
}
