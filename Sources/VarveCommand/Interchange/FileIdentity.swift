#if CommandLine
import Foundation

// On Linux, the compiler takes the members of `stat` for those of the first module that it loads
// with their header. Which one that is differs between builds.
#if canImport(CDispatch)
import CDispatch
#endif
#if os(Linux)
import CoreFoundation
#endif

/// The identity of a file under any name: its device, and its number on the device.
struct FileIdentity: Hashable {
  private let device: Int64
  private let number: UInt64

  /// Creates the identity of the file at a path, following links; nil if there is none.
  init?(_ path: String) {
    guard let status = FileStatus(path) else { return nil }
    self = status.identity
  }

  fileprivate init(_ status: stat) {
    device = Int64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// The system's status of a file.
struct FileStatus {
  private let status: stat

  /// Creates the status of the file at a path, following links; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// Creates the status of an open file.
  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.status = status
  }

  var identity: FileIdentity { FileIdentity(status) }
  var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
  var byteCount: Int64 { Int64(status.st_size) }
  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var permissions: mode_t { status.st_mode & 0o7777 }
  var owner: (user: uid_t, group: gid_t) { (status.st_uid, status.st_gid) }
}
#endif
