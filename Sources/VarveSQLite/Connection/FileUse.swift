import CVarveSQLite
import Foundation
import VarveCore

/// The use of a store's file by one connection.
///
/// It refuses a file that is in use with another log, and a log that belongs to another file. See
/// ``FileUses``. Where the file system does not keep the numbers of files, nothing can be compared.
final class FileUse {
  /// The file; nil until SQLite has made it.
  private(set) var identity: FileIdentity?
  private let place: String
  /// The path with links resolved, from which SQLite makes the log's.
  private let path: String
  private var file: OpenFile?
  private var log: FileIdentity?
  /// Whether the path is noted as used.
  private var isNamed = false

  private var logPath: String { path + "-wal" }
  private let logSystemPath: SystemPath

  /// For how long another connection may take to close the file or to open it.
  private static let patience = Duration.milliseconds(500)

  /// Begins the use, before SQLite opens the file.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - place: the path as shown to users.
  /// - Throws: ``VarveError``: `busy` if the file is open with another log, or the log with another
  ///   file; `inputOutput` if the log that was left belongs to another file, the file's latest
  ///   commits are in a log elsewhere, or a file beside it is not SQLite's.
  init(_ path: String, at place: String) throws {
    self.place = place
    self.path = StoreFile.resolved(path)
    logSystemPath = SystemPath(self.path + "-wal")
    try FileUses.shared.beginName(self.path) {
      try CompanionFile.requireOwn(beside: $0, at: place, $1)
    }
    isNamed = true
    guard varve_keeps_numbers(self.path) != 0 else { return }
    begin()
    do {
      try awaitFree()
    } catch {
      end()
      throw error
    }
  }

  private func begin() {
    guard let (identity, file) = FileUses.shared.begin(path) else { return }
    (self.identity, self.file) = (identity, file)
  }

  /// Waits until the file and the log are free, because a connection that is just being closed
  /// removes the log before it releases the file.
  private func awaitFree() throws {
    let end = ContinuousClock.now + Self.patience
    while let conflict = conflict() {
      guard conflict.mayEnd, .now < end else { throw conflict.error(place, logPath) }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// Ends the use, after SQLite has closed the file.
  func end() {
    if isNamed { FileUses.shared.endName(path) }
    isNamed = false
    guard let identity else { return }
    if let log { FileUses.shared.endUse(of: log, of: identity) }
    file = nil
    FileUses.shared.end(identity)
    (self.identity, log) = (nil, nil)
  }

  /// Notes the log that SQLite has opened. Does nothing while the file has none.
  ///
  /// Until the connection is closed, SQLite has a lock on the file, so that no other connection
  /// removes the log.
  func settle(_ connection: UnsafeMutableRawPointer, isReadOnly: Bool) throws {
    guard log == nil, varve_keeps_numbers(path) != 0 else { return }
    if file == nil { begin() }
    guard let identity, let file else { return }
    guard varve_has_moved(connection) == 0 else {
      throw FileConflict.replaced.error(place, logPath)
    }
    guard let open = OpenFile(logPath) else { return }
    var conflict: FileConflict?
    let isUsed = FileUses.shared.use(open, of: identity) {
      conflict = self.conflict(file, open.identity, open)
      return conflict == nil
    }
    guard isUsed else { throw (conflict ?? .otherLog).error(place, logPath) }
    log = open.identity
    share()
    // Only writers leave a log that has commits.
    guard !isReadOnly else { return }
    FileNote(on: open, about: file, at: path).attach(to: open)
    FileNote(on: file, about: open, at: logPath).attach(to: file)
  }

  /// The states in which the open log can be.
  enum LogFate { case kept, moved, removed }

  /// The state of the open log.
  var logFate: LogFate {
    guard let log, FileIdentity(logSystemPath) != log else { return .kept }
    return FileUses.shared.isRemoved(log, of: identity) ? .removed : .moved
  }

  /// Gives the files that SQLite has made beside the store to its group. SQLite gives them its
  /// permissions, but the group of the user, so that others who may write to the store could not.
  private func share() {
    guard let store = FileStatus(path), let made = FileStatus(logPath), made.user == geteuid(),
      made.group != store.group
    else { return }
    for file in [logPath, path + "-shm"] { lchown(file, uid_t.max, store.group) }
  }

  // MARK: Conflicts

  private func conflict() -> FileConflict? {
    guard let identity, let file else { return nil }
    let log = FileIdentity(logPath)
    let logs = FileUses.shared.logs(of: identity, log)
    if logs.usesOther { return .otherLog }
    return logs.uses ? nil : conflict(file, log, OpenFile(logPath))
  }

  /// Returns what keeps a file from being used with a log; nil if there is none.
  ///
  /// - Parameter open: the log, unless this user may not read it.
  private func conflict(
    _ file: OpenFile,
    _ log: FileIdentity?,
    _ open: OpenFile?
  ) -> FileConflict? {
    if file.isLocked(for: log) { return .otherLog }
    if let open {
      if open.isLocked(for: file.identity) { return .otherFile }
      if open.byteCount > 0, let note = FileNote(on: open), note.other != FileNote.Subject(file) {
        return .foreignLog
      }
    }
    guard let note = FileNote(on: file), note.path != logPath, note.path.hasSuffix("-wal"),
      let left = FileStatus(note.path), left.byteCount > 0, left.identity != log,
      left.identity.number == note.other.number
    else { return nil }
    return .logElsewhere(note.path)
  }
}
