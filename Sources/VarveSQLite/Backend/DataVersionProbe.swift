import Synchronization
package import VarveCore

/// Detects commits of other connections, in any process.
///
/// The index of the write-ahead log is in shared memory, and a commit changes it. So a check takes
/// neither a lock nor a call of the system.
///
/// `@unchecked Sendable`: the connection is used inside the lock only, because closing or suspending
/// the store closes it while another task may be checking.
final class DataVersionProbe: ChangeProbe, @unchecked Sendable {
  private let name: DatabaseName
  private let watch: FileWatch?
  package let file: String?
  /// The connection; nil after a suspension, until the next check.
  private var connection: Connection?
  private var version: Int64?
  private var mark: LogMark?
  private enum Phase { case open, suspended, closed }
  private let phase = Mutex(Phase.open)

  init(_ name: DatabaseName, _ watch: FileWatch?) throws {
    (self.name, self.watch) = (name, watch)
    file = StoreFile.resolved(name.path)
    connection = try connect()
  }

  private func connect() throws -> Connection {
    let connection = try Connection(name, isReadOnly: true)
    try watch?.require(connection)
    return connection
  }

  /// Returns whether another connection committed since the last call, or the log was reset; false
  /// while the store is suspended, and after the probe was closed.
  func hasChanged() throws -> Bool {
    try phase.withLock { phase in
      guard phase == .open else { return false }
      guard let connection, connection.isCurrent, connection.hasPresentKey else {
        // The store was suspended or its key was changed, or the file was read alone and is now in
        // another state, or in use.
        let next = try connect()
        try? connection?.close()
        (connection, version, mark) = (next, nil, nil)
        return true
      }
      if let present = connection.logMark {
        defer { mark = present }
        return mark != present
      }
      // The first read of the connection opens the log.
      let statement = try connection.statement("PRAGMA data_version")
      defer { statement.reset() }
      guard try statement.step() else { return true }
      let present = statement.int(0)
      defer { version = present }
      return version != present
    }
  }

  /// Whether the probe was closed.
  var hasEnded: Bool { phase.withLock { $0 == .closed } }

  /// Closes the connection while the store is suspended.
  func release() { end(as: .suspended) }

  /// Looks again after a suspension.
  func reclaim() {
    phase.withLock { phase in
      if phase == .suspended { phase = .open }
    }
  }

  func close() { end(as: .closed) }

  private func end(as next: Phase) {
    phase.withLock { phase in
      guard phase != .closed else { return }
      phase = next
      try? connection?.close()
      connection = nil
    }
  }
}

extension SQLiteBackend {
  /// A memory store has no probe, because no other process can open its database; nor has one that
  /// is said to be alone.
  package func changeProbe() throws -> (any ChangeProbe)? {
    try checkOpen()
    guard case .file = location, !configuration.isAlone else { return nil }
    let probe = try DataVersionProbe(name, file)
    probes.withLock { probes in
      probes.removeAll(where: \.hasEnded)
      probes.append(probe)
    }
    // The suspension may have begun meanwhile.
    if configuration.suspension.isOn { probe.release() }
    return probe
  }
}
