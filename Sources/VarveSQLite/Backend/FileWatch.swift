import CVarveSQLite
import Synchronization
import VarveCore

/// The file of an open store, which may lose its name at any time.
///
/// Later writes would go to a file without a name, or into a log that no other process opens.
final class FileWatch: Sendable {
  private let place: String
  /// The path, and the one with links resolved if it is another.
  private let paths: [SystemPath]
  private let identity: FileIdentity?
  /// Whether the file system keeps the numbers of files.
  private let keepsNumbers: Bool
  private let warn: (@Sendable (VarveError) -> Void)?
  private let hasWarned = Mutex(false)

  /// Begins to watch the file of a connection that was just opened.
  init(
    _ name: DatabaseName,
    _ connection: Connection,
    warn: (@Sendable (VarveError) -> Void)?
  ) throws {
    place = name.place
    let resolved = StoreFile.resolved(name.path)
    paths = (resolved == name.path ? [resolved] : [name.path, resolved]).map(SystemPath.init)
    keepsNumbers = varve_keeps_numbers(resolved) != 0
    self.warn = warn
    identity = FileIdentity(resolved)
    guard keepsNumbers, let file = connection.file, file != identity else { return }
    throw StoreFile.replaced(at: place)
  }

  /// Whether the paths name the file.
  var hasName: Bool { !paths.contains { FileIdentity($0) != identity } }

  /// Throws if the paths do not name the file any more; only warns where that is not certain.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput`.
  func requireName() throws {
    guard !hasName else { return }
    let error = StoreFile.replaced(at: place)
    guard !keepsNumbers else { throw error }
    let isFirst = hasWarned.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    if isFirst { warn?(error) }
  }

  /// Throws if a writer's file, or its write-ahead log, has lost its name.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput`.
  func requireNames(of connection: Connection) throws {
    try requireName()
    guard connection.logFate != .kept else { return }
    throw VarveError(
      .inputOutput,
      "the write-ahead log was removed while the store was open",
      at: place,
      remedy: "Close the store, which saves the commits in the log, and open it again."
    )
  }

  /// Throws if a new connection has opened another file than the store's.
  func require(_ connection: Connection) throws {
    guard keepsNumbers, let file = connection.file, file != identity else {
      return try requireName()
    }
    throw StoreFile.replaced(at: place)
  }
}
