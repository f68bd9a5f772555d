/// Connections that come and go with the store's use.
extension SQLiteBackend {
  /// The number of bytes that the page caches of all stores of this process may use together.
  package static var memoryBudget: Int {
    get { OpenStores.shared.budget }
    set { OpenStores.shared.budget = newValue }
  }

  /// Whether connections may be closed while the store is open. A memory database lives as long as
  /// a connection to it.
  var mayIdle: Bool { location != .inMemory }

  /// Records that the store was used. The caller holds none of its locks.
  func noteUse() {
    if mayIdle { configuration.openStores.noteUse(of: self) }
  }

  /// Closes the connections that are idle, with what they hold in memory. The next use opens them
  /// again.
  package func closeIdleConnections() {
    guard mayIdle else { return }
    readers.closeIdle()
    guard lock.lockIfFree() else { return }
    defer { lock.unlock() }
    closeWriter()
  }

  /// Closes the writer's connection. The caller holds the write lock.
  func closeWriter() {
    // The next connection to the file would read the whole log.
    if let writer = slot.session, !configuration.isReadOnly {
      checkpointer.checkpointForIdling(writer.connection)
    }
    try? slot.close()
  }

  /// Limits the page caches of the idle connections to their share.
  func limitIdleConnections() {
    readers.forEachIdle { $0.connection.adaptCache() }
    guard lock.lockIfFree() else { return }
    defer { lock.unlock() }
    slot.session?.connection.adaptCache()
  }
}
