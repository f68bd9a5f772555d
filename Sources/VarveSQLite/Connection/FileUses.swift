import Synchronization

/// The files of stores that this process has open, with the locks that say so to others.
///
/// SQLite keeps a write-ahead log beside the name under which a file was opened. Two names of one
/// file have two logs, and each writer would overwrite what the other wrote. So whoever opens a
/// store locks a place in its file that stands for the log, and a place in the log that stands for
/// the file; other places that are locked show other logs and other files.
///
/// A process that closes a descriptor of a file loses all locks that SQLite has on it. So there is
/// one descriptor of each file, and it is closed after SQLite's last connection.
final class FileUses: Sendable {
  static let shared = FileUses()

  /// A log in use, and the number of connections that use it.
  private struct Log {
    let file: OpenFile
    var count: Int
  }

  private struct Entry {
    /// The descriptors of the file; the first one has the locks.
    var files: [OpenFile]
    var count = 0
    var logs: [FileIdentity: Log] = [:]
  }

  private let entries = Mutex<[FileIdentity: Entry]>([:])

  /// The paths in use, without links.
  private struct Names {
    var counts: [String: Int] = [:]
    /// Files that were read while another part of the process had locks on them, which it would lose
    /// if they were closed.
    var kept: [FileIdentity: OpenFile] = [:]
  }

  private let names = Mutex(Names())

  /// Notes that a connection to the file at a path is going to be opened. Returns nil if there is no
  /// such file, or it cannot be read.
  func begin(_ path: String) -> (FileIdentity, OpenFile)? {
    entries.withLock { entries in
      closeUnused(&entries)
      guard var identity = FileIdentity(path) else { return nil }
      if entries[identity] == nil {
        guard let file = OpenFile(path) else { return nil }
        // The name may have become that of another file meanwhile.
        identity = file.identity
        entries[identity, default: Entry(files: [])].files.append(file)
      }
      entries[identity]?.count += 1
      return entries[identity].map { (identity, $0.files[0]) }
    }
  }

  /// Notes that a connection was closed.
  func end(_ identity: FileIdentity) {
    entries.withLock { entries in
      entries[identity]?.count -= 1
      closeUnused(&entries)
    }
  }

  /// Closes the descriptors of files that no connection uses. One of a connection that is not
  /// Varve's would lose its locks; that descriptor is closed later.
  private func closeUnused(_ entries: inout [FileIdentity: Entry]) {
    for (identity, entry) in entries
    where entry.count == 0 && !entry.files[0].isLockedHere { entries[identity] = nil }
  }

  // MARK: Names

  /// Returns the first bytes of the file at a path; nil if it cannot be read.
  typealias HeadReader = (_ path: String, _ count: Int) -> [UInt8]?

  /// Notes that a path is used by one more connection. The first one examines the files beside it.
  func beginName(_ path: String, examine: (String, HeadReader) throws -> Void) throws {
    try whileUnused(path, thenUse: true, examine)
  }

  func endName(_ path: String) {
    names.withLock { names in
      guard let count = names.counts[path] else { return }
      names.counts[path] = count > 1 ? count - 1 : nil
    }
  }

  /// Calls a closure while no connection uses a path; does nothing if one does.
  ///
  /// SQLite has locks on the files beside a database that is open, which would end if they were read
  /// and closed.
  func whileUnused(
    _ path: String,
    thenUse isUsed: Bool = false,
    _ body: (String, HeadReader) throws -> Void
  ) throws {
    try names.withLock { names in
      if names.counts[path] == nil { try body(path) { Self.head(of: $0, $1, &names) } }
      if isUsed { names.counts[path, default: 0] += 1 }
    }
  }

  private static func head(of path: String, _ count: Int, _ names: inout Names) -> [UInt8]? {
    if let identity = FileIdentity(path), let file = names.kept[identity] {
      return file.head(count)
    }
    guard let file = OpenFile(path) else { return nil }
    if file.isLockedHere { names.kept[file.identity] = file }
    return file.head(count)
  }

  // MARK: Logs

  /// Returns whether connections of this process use a file with this log, and whether some use it
  /// with another one.
  func logs(of identity: FileIdentity, _ log: FileIdentity?) -> (uses: Bool, usesOther: Bool) {
    entries.withLock { entries in
      let logs = entries[identity]?.logs ?? [:]
      return (log.map { logs[$0] != nil } ?? false, logs.keys.contains { $0 != log })
    }
  }

  /// Returns whether a log in use has no name any more.
  func isRemoved(_ log: FileIdentity, of identity: FileIdentity?) -> Bool {
    entries.withLock { entries in
      identity.flatMap { entries[$0]?.logs[log]?.file.isRemoved } ?? false
    }
  }

  /// Notes that a connection uses a log. The first one locks both files; `isFree` is then called,
  /// and if it returns false, nothing is noted.
  func use(
    _ log: OpenFile,
    of identity: FileIdentity,
    isFree: () -> Bool
  ) -> Bool {
    entries.withLock { entries in
      guard let entry = entries[identity] else { return false }
      if entry.logs[log.identity] == nil {
        guard entry.logs.isEmpty else { return false }
        log.lock(identity)
        entry.files[0].lock(log.identity)
        guard isFree() else {
          entry.files[0].unlock(log.identity)
          log.unlock(identity)
          return false
        }
        entries[identity]?.logs[log.identity] = Log(file: log, count: 0)
      }
      entries[identity]?.logs[log.identity]?.count += 1
      return true
    }
  }

  /// Notes that a connection that used a log was closed.
  func endUse(of log: FileIdentity, of identity: FileIdentity) {
    entries.withLock { entries in
      entries[identity]?.logs[log]?.count -= 1
      guard let entry = entries[identity], entry.logs[log]?.count == 0 else { return }
      entry.files[0].unlock(log)
      entries[identity]?.logs[log] = nil
    }
  }
}
