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
  /// Whether the locks of the file hold for all who use it.
  private let sharesLocks: Bool
  private let warn: (@Sendable (VarveError) -> Void)?
  private let warned = Mutex<Set<Warning>>([])

  private enum Warning { case otherFile, locks }

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
    sharesLocks = varve_shares_locks(resolved) != 0
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
    warnOnce(.otherFile, error)
  }

  private func warnOnce(_ warning: Warning, _ error: @autoclosure () -> VarveError) {
    guard warned.withLock({ $0.insert(warning).inserted }) else { return }
    warn?(error())
  }

  /// Throws if a writer's file, or its write-ahead log, has lost its name. Warns once where locks may
  /// not hold.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput`.
  func requireNames(of connection: Connection) throws {
    try requireName()
    if !sharesLocks { warnOnce(.locks, locksMayNotHold) }
    guard connection.logFate != .kept else { return }
    throw VarveError(
      .inputOutput,
      "the write-ahead log was removed while the store was open",
      at: place,
      remedy: "Close the store, which saves the commits in the log, and open it again."
    )
  }

  private var locksMayNotHold: VarveError {
    VarveError(
      .unsupported,
      "the file system is a network's or a program's, whose locks may not hold for other computers, "
        + "containers and mounts: if they write too, commits are lost",
      at: place,
      remedy: "Let the processes of one computer use the file, by one mount, or give each its own "
        + "store and synchronise them."
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
