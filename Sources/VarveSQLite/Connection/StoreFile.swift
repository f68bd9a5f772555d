import CVarveSQLite
import Foundation
import VarveCore

/// Recognises, creates and prepares the file of a store.
enum StoreFile {
  /// Examines a file before SQLite does, in order to report plain errors.
  ///
  /// - Returns: whether there is a file; otherwise one may be created.
  static func examine(
    _ path: String,
    _ configuration: SQLiteBackend.Configuration
  ) throws -> Bool {
    // While another process copies its log into the file, the file's size and header may disagree
    // for a moment.
    for _ in 0..<50 {
      do {
        return try look(at: path, configuration)
      } catch let error as VarveError where error.code == .damaged {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
    return try look(at: path, configuration)
  }

  private static func look(
    at path: String,
    _ configuration: SQLiteBackend.Configuration
  ) throws -> Bool {
    try examineName(path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      guard configuration.createsIfMissing, !configuration.isReadOnly else {
        throw VarveError(
          .notFound,
          "there is no such file",
          at: path,
          remedy: "Create the store first, or name another file."
        )
      }
      try NewFileName.examine(path, at: path)
      try examineFolder(of: path)
      return false
    }
    guard !isFolder.boolValue else { throw notAStore("the path is a folder, not a store", path) }
    let attributes = try FileManager.default.attributesOfItem(atPath: resolved(path))
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw notAStore("the path is not a regular file", path)
    }
    let size = attributes[.size] as? Int64 ?? 0
    guard size > 0 else { throw empty("the file has 0 bytes", path) }
    let head = Array(try head(of: path).prefix(Int(clamping: size)))
    try examine(head, size, configuration, path)
    try FileUse(DatabaseName.file(path).path, at: path).end()
    return true
  }

  /// Whether a file is an encrypted store, as far as can be told without its key.
  static func seemsEncrypted(_ path: String) -> Bool {
    // Only then is it read: opening a pipe waits for a writer.
    guard !path.isEmpty, !path.utf8.contains(0), let status = FileStatus(resolved(path)),
      status.byteCount >= EncryptedFile.pageByteCount, let head = try? head(of: path)
    else { return false }
    return !isPlain(head) && EncryptedFile.isLikely(head, byteCount: status.byteCount)
  }

  /// Returns the file's header, padded with zeros if the file is shorter.
  private static func head(of path: String) throws -> [UInt8] {
    var code: Int32 = 0
    let head = [UInt8](unsafeUninitializedCapacity: 100) { buffer, count in
      buffer.initialize(repeating: 0)
      code = varve_read_head(DatabaseName.file(path).path, buffer.baseAddress, 100)
      count = 100
    }
    guard code == 0 else {
      throw VarveError(
        .inputOutput,
        "the file cannot be read",
        at: path,
        remedy: "Check its permissions."
      )
    }
    return head
  }

  /// Returns the error of a file that is not the one that was opened.
  static func replaced(at place: String) -> VarveError {
    VarveError(
      .inputOutput,
      "the file was moved, removed or replaced while the store was open",
      at: place,
      remedy: "Close the store. Open the file under its present name, if it has one."
    )
  }

  /// Returns the path with symbolic links resolved, because the names of companion files derive
  /// from it.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else {
      return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// Checks the name of the file. The system would truncate a name at a NUL and open another file.
  static func examineName(_ path: String) throws {
    guard path != ":memory:" else {
      throw VarveError(
        .invalidArgument,
        "\(path) is a database in memory, not a file: its content would be lost",
        at: path,
        remedy: "Name a file. For a file with this name, write ./\(path)."
      )
    }
    guard path.isEmpty || path.utf8.contains(0) else {
      return try NewFileName.requireShortPath(path, at: path)
    }
    throw VarveError(
      .invalidArgument,
      path.isEmpty ? "the name of a file is empty" : "the name of a file contains a NUL",
      at: path.isEmpty ? nil : path,
      remedy: "Name the file of a store."
    )
  }

  static func examineFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw VarveError(
        .inputOutput,
        "the folder for the store does not exist",
        at: folder,
        remedy: path.hasPrefix("~")
          ? "A path is taken as it is written: replace ~ by the path of the home folder."
          : "Make the folder first."
      )
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw VarveError(
        .readOnly,
        "the folder for the store is not writable",
        at: folder,
        remedy: "Make the folder writable, or name a file in another."
      )
    }
  }

  /// Whether this user may write to a file.
  static func isWritable(_ path: String) -> Bool { writingError(path) == nil }

  /// Returns the system's reason why this user may not write to a file; nil if they may, or if there
  /// is no file.
  static func writingError(_ path: String) -> Int32? {
    path.withCString { access($0, F_OK) != 0 || access($0, W_OK) == 0 ? nil : errno }
  }

  private static func examine(
    _ head: [UInt8],
    _ size: Int64,
    _ configuration: SQLiteBackend.Configuration,
    _ path: String
  ) throws {
    guard head.count == 100 else { throw notAStore("the file is not a database", path) }
    guard isPlain(head) else {
      if configuration.key != nil { return try EncryptedFile.examineLength(size, path) }
      throw EncryptedFile.isLikely(head, byteCount: size)
        ? Encryption.keyMissing(at: path) : notAStore("the file is not a database", path)
    }
    try examinePlain(head, configuration, path)
    if configuration.key != nil { throw Encryption.notEncrypted(at: path) }
    try examineLength(head, size, path)
  }

  /// Whether a header belongs to a database that is not encrypted.
  private static func isPlain(_ head: [UInt8]) -> Bool {
    head.starts(with: Array("SQLite format 3\0".utf8))
  }

  private static func examinePlain(
    _ head: [UInt8],
    _ configuration: SQLiteBackend.Configuration,
    _ path: String
  ) throws {
    let application = number(head, at: 68)
    guard application == Schema.applicationID else {
      guard application == 0, number(head, at: 28) <= 1 else {
        throw notAStore("the file is a database of another program", path)
      }
      // The marks of a store of an older version may be in its log only.
      guard let log = FileStatus(resolved(path) + "-wal"), log.byteCount > 0 else {
        throw empty("the file is an empty database", path)
      }
      return
    }
    try requireKnown(number(head, at: 60), configuration, path)
  }

  /// Throws if the version of the layout is newer than this build, or is that of a sealed space and
  /// the store is opened without a seal.
  private static func requireKnown(
    _ version: Int64,
    _ configuration: SQLiteBackend.Configuration,
    _ path: String
  ) throws {
    guard version > Schema.version else { return }
    if version == Schema.sealedVersion {
      guard configuration.sealing == nil else { return }
      throw VarveError.sealingIsMissing.located(at: path)
    }
    throw VarveError(
      .newerFormat,
      "the store has layout version \(version); this build knows \(Schema.version)",
      at: path,
      remedy: "Open it with a newer version of Varve."
    )
  }

  /// Checks that a file without a write-ahead log is as long as its header says.
  private static func examineLength(_ head: [UInt8], _ size: Int64, _ path: String) throws {
    if let log = FileStatus(resolved(path) + "-wal"), log.byteCount > 0 { return }
    let pageSize = Int64(head[16]) << 8 | Int64(head[17])
    let expected = number(head, at: 28) * (pageSize == 1 ? 65_536 : pageSize)
    guard size >= expected else {
      throw VarveError(
        .damaged,
        "the file has \(size) bytes, but its header says \(expected)",
        at: path,
        remedy: "Restore the file from a copy, or merge from another replica."
      )
    }
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func empty(_ what: String, _ path: String) -> VarveError {
    VarveError(
      .notAStore,
      what,
      at: path,
      remedy: "If it was a store, restore it from a copy; to create one, remove the file first."
    )
  }

  private static func notAStore(_ what: String, _ path: String) -> VarveError {
    VarveError(.notAStore, what, at: path, remedy: "Name the file of a store.")
  }

  /// Creates the tables of a new store, or checks those of an existing one, and loads the catalogue
  /// and the state of the log.
  ///
  /// - Parameter mayMake: whether the store may be new.
  static func prepare(
    _ session: Session,
    _ configuration: SQLiteBackend.Configuration,
    mayMake: Bool
  ) async throws {
    let connection = session.connection
    let application = try await retryingBusy { try connection.integer("PRAGMA application_id") }
    if application != Schema.applicationID {
      guard mayMake else { throw try unmarked(connection) }
      try await retryingBusy { try connection.execute("PRAGMA journal_mode = WAL") }
      try await retryingBusy { try connection.execute("BEGIN IMMEDIATE") }
      do {
        try make(session, configuration.replica)
        try connection.execute("COMMIT")
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
    }
    if connection.name.key != nil {
      // The header of an encrypted file could not be examined before.
      let version = try await retryingBusy { try connection.integer("PRAGMA user_version") }
      try requireKnown(version ?? 0, configuration, connection.place)
    }
    try await retryingBusy {
      // Read one state, because another process may be writing.
      try session.begin()
      defer { session.end() }
      try session.refreshCatalogue()
      // Whether the store can be opened with its seal is known at once.
      if try connection.integer("PRAGMA user_version") == Schema.sealedVersion {
        try session.log.refresh()
      }
    }
    if session.catalogue.hasTruthColumns, !configuration.isReadOnly {
      try await retryingBusy { try renameTruthColumns(session) }
    }
  }

  /// Returns the error of a database without the mark of a store.
  private static func unmarked(_ connection: Connection) throws -> VarveError {
    guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
      return notAStore("the file is a database of another program", connection.place)
    }
    return empty("the file is an empty database", connection.place)
  }

  private static func renameTruthColumns(_ session: Session) throws {
    let connection = session.connection
    try connection.execute("BEGIN IMMEDIATE")
    do {
      try session.refreshCatalogue()
      try session.catalogue.renameTruthColumns()
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  /// Waits for another process that creates the same store, or recovers it after a crash.
  static func retryingBusy<Result>(_ body: () throws -> Result) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try body()
      } catch let error as VarveError where error.code == .busy && .now < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  private static func make(_ session: Session, _ replica: ReplicaID?) throws {
    let connection = session.connection
    guard try connection.integer("PRAGMA application_id") != Schema.applicationID else { return }
    guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
      throw notAStore("the file is a database of another program", connection.place)
    }
    try connection.execute(Schema.log)
    try connection.execute(Schema.derived)
    try session.log.startOwnChain(replica ?? .random())
    try connection.setMeta("catalogue", 0)
    try connection.execute("PRAGMA application_id = \(Schema.applicationID)")
    try connection.execute("PRAGMA user_version = \(Schema.version)")
  }
}
