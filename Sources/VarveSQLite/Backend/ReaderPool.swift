import Synchronization
import VarveCore

/// Sessions for reading a database, each used by one reader at a time.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [Session] = []
    var isClosed = false
  }

  private let name: DatabaseName
  private let watch: StatementWatch?
  private let state = Mutex(State())

  /// The number of idle readers to keep; additional ones are created on demand and closed after
  /// use.
  private static let idleCapacity = 8

  init(_ name: DatabaseName, _ watch: StatementWatch? = nil) {
    self.name = name
    self.watch = watch
  }

  func take() throws -> Session {
    if let session = state.withLock({ $0.idle.popLast() }) { return session }
    return Session(try Connection(name, isReadOnly: true, watch: watch))
  }

  func give(_ session: Session) {
    let isKept = state.withLock { state in
      guard !state.isClosed, state.idle.count < Self.idleCapacity else { return false }
      state.idle.append(session)
      return true
    }
    if !isKept { try? session.close() }
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

extension Session {
  /// Begins a read transaction.
  func begin() throws { try connection.statement(.begin).run() }

  /// Ends the read transaction.
  func end() {
    if !pastViews.isEmpty { showTables() }
    _ = try? connection.statement(.commit).run()
    if !connection.isAutocommit { try? connection.execute("ROLLBACK") }
  }
}
