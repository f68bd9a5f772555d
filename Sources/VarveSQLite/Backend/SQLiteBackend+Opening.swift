import VarveCore

extension SQLiteBackend {
  /// Opens a store, or creates it if it does not exist and the configuration allows that.
  package static func open(
    _ location: Location,
    configuration: Configuration = Configuration()
  ) async throws -> SQLiteBackend {
    var configuration = configuration
    configuration.suspension = Suspension()
    if let home = configuration.home {
      let head = try await home.head()
      try head.require(configuration.sealing, of: home.space)
      configuration.replica = head.replica
    }
    let name: DatabaseName
    switch location {
    case .inMemory:
      name = .memory()
      if configuration.key != nil { throw Encryption.memory(at: name.place) }
    case .file(let path):
      #if SQLCipher && DEBUG
      configuration.key = configuration.key ?? TestingKey.key(for: path)
      #endif
      if configuration.key != nil { try Encryption.require(at: path) }
      name = .file(path, key: configuration.key.map(FileKey.init))
      if try !StoreFile.examine(path, configuration) { try await make(name, configuration) }
      if !configuration.isReadOnly, let refusal = name.refusalToWrite {
        // A connection for writing would make files beside the store that belong to this user.
        (configuration.isReadOnly, configuration.refusal) = (true, refusal)
      }
    }
    let session = try await openedSession(name, configuration)
    if name.isFile { try configuration.fileProtection?.protect(StoreFile.resolved(name.path)) }
    let file =
      name.isFile ? try FileWatch(name, session.connection, warn: configuration.warn) : nil
    let slot = WriterSlot(session) { [configuration] in
      try file?.requireName()
      let session = try makeWriter(name, configuration)
      try file?.require(session.connection)
      try session.begin()
      defer { session.end() }
      try session.refreshCatalogue()
      if name.isFile { try configuration.fileProtection?.protect(StoreFile.resolved(name.path)) }
      if !configuration.isReadOnly { try session.loadScrub() }
      return session
    }
    let backend = SQLiteBackend(
      name,
      name.isFile ? .file(name.path) : location,
      configuration,
      slot,
      place: session.connection.place,
      readers: ReaderPool(name, configuration, file),
      checkpointer: Checkpointer(path: name.isFile ? StoreFile.resolved(name.path) : nil),
      file: file
    )
    if !configuration.isReadOnly {
      try session.loadScrub()
      backend.scrubIfNeeded(session)
      try await backend.remakeOlderSearch(session)
      try await backend.applyArrivals()
      try await backend.applyDueAtOpening()
      try await backend.wakeForWithheld()
      if configuration.followsAnnouncements { backend.startFollowing() }
    }
    backend.noteUse()
    return backend
  }

  /// Opens a session of a file that is a store. If it is refused, nothing is left beside the file.
  private static func openedSession(
    _ name: DatabaseName,
    _ configuration: Configuration
  ) async throws -> Session {
    let session = try await StoreFile.retryingBusy {
      try makeWriter(name, configuration)
    }
    do {
      try await StoreFile.prepare(session, configuration, mayMake: !name.isFile)
      return session
    } catch {
      try? session.close()
      StoreFile.tidy(name)
      throw error
    }
  }

  /// Creates a store under a temporary name, which then gets its own name. So a file is never seen
  /// before it is a store. If another process is faster, its file stays.
  private static func make(_ name: DatabaseName, _ configuration: Configuration) async throws {
    let file = try UnmadeFile(name)
    defer { file.discard() }
    let session = try makeWriter(file.partial, configuration)
    do {
      try await StoreFile.prepare(session, configuration, mayMake: true)
      session.connection.cleansUpOnClosing(true)
    } catch {
      try? session.close()
      throw error
    }
    try session.close()
    try file.publish()
  }

  private static func makeWriter(
    _ name: DatabaseName,
    _ configuration: Configuration
  ) throws -> Session {
    let session = Session(
      try Connection(
        name,
        isReadOnly: configuration.isReadOnly,
        watch: configuration.statementWatch,
        sharingWith: configuration.openStores
      ),
      sealing: configuration.sealing
    )
    session.toleranceMilliseconds = configuration.toleranceMilliseconds
    session.connection.interrupter.suspension = configuration.suspension
    session.touches.capacity = configuration.touchCapacity
    return session
  }
}
