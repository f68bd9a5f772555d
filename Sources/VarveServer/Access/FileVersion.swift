#if Server
import Foundation

// On Linux, the compiler takes the members of `stat` for those of the first module that it loads
// with their header. Which one that is differs between builds.
#if canImport(CDispatch)
import CDispatch
#endif
#if os(Linux)
import CoreFoundation
#endif

/// By what a change of a file is noticed: one call of the system, because every request asks.
struct FileVersion: Equatable, Sendable {
  /// The time of the last change, as the system has it.
  private var modified: [UInt8] = []
  private var number: UInt64 = 0
  private var device: UInt64 = 0
  private var byteCount: Int64 = 0

  /// Looks at the file at a path; without one, the version is that of no file.
  init(_ path: String) {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return }
    #if canImport(Darwin)
    modified = withUnsafeBytes(of: status.st_mtimespec) { Array($0) }
    #else
    modified = withUnsafeBytes(of: status.st_mtim) { Array($0) }
    #endif
    number = UInt64(truncatingIfNeeded: status.st_ino)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    byteCount = Int64(truncatingIfNeeded: status.st_size)
  }

  /// Whether there was a file.
  var isThere: Bool { !modified.isEmpty }

  /// Whether both are versions of one file, or of none.
  func isSameFile(as other: FileVersion) -> Bool {
    number == other.number && device == other.device
  }
}
#endif
