import Synchronization
package import VarveCore

/// Detects commits of other connections, in any process.
///
/// The index of the write-ahead log is in shared memory, and a commit changes it. So a check takes
/// neither a lock nor a call of the system.
///
/// `@unchecked Sendable`: the connection is used inside the lock only, because closing the store
/// closes it while another task may be checking.
final class DataVersionProbe: ChangeProbe, @unchecked Sendable {
  private let name: DatabaseName
  private let watch: FileWatch?
  package let file: String?
  private var connection: Connection
  private var version: Int64?
  private var mark: LogMark?
  private let isClosed = Mutex(false)

  init(_ name: DatabaseName, _ watch: FileWatch?) throws {
    (self.name, self.watch) = (name, watch)
    connection = try Connection(name, isReadOnly: true)
    file = StoreFile.resolved(name.path)
    try watch?.require(connection)
  }

  /// Returns whether another connection committed since the last call, or the log was reset; false
  /// after the probe was closed.
  func hasChanged() throws -> Bool {
    try isClosed.withLock { isClosed in
      guard !isClosed else { return false }
      guard connection.isCurrent, connection.hasPresentKey else {
        // The file was read alone, and is now in another state, or in use; or its key was changed.
        let next = try Connection(name, isReadOnly: true)
        try watch?.require(next)
        try? connection.close()
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
  var hasEnded: Bool { isClosed.withLock { $0 } }

  func close() {
    isClosed.withLock { isClosed in
      guard !isClosed else { return }
      isClosed = true
      try? connection.close()
    }
  }
}

extension SQLiteBackend {
  /// A memory store has no probe, because no other process can open its database.
  package func changeProbe() throws -> (any ChangeProbe)? {
    try checkOpen()
    guard case .file = location else { return nil }
    let probe = try DataVersionProbe(name, file)
    probes.withLock { probes in
      probes.removeAll(where: \.hasEnded)
      probes.append(probe)
    }
    return probe
  }
}
