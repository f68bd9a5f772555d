import Foundation

/// Writes what a file holds to its disk.
package enum FileFlush {
  /// Returns whether everything that was written to an open file, or to a folder, is on the disk.
  ///
  /// On Darwin, `fsync` hands the bytes to the drive, which may keep them in its cache; `F_FULLFSYNC`
  /// waits until the drive has stored them. File systems that do not support it get `fsync`, as
  /// SQLite does.
  package static func flush(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) != -1 { return true }
    #endif
    return fsync(descriptor) == 0
  }
}
