#if Server
import Foundation
import VarveCore

/// Writes files that are replaced whole: a reader finds the old text or the new one, also after a
/// loss of power.
enum WholeFile {
  /// Writes a text that only the owner of the file may read.
  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  /// Writes bytes that only the owner of the file may read.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let partial = "\(path).\(UUID().uuidString)"
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isWritten = rest.isEmpty && FileFlush.flush(descriptor)
    close(descriptor)
    guard isWritten, rename(partial, path) == 0 else {
      let error = failure(path)
      unlink(partial)
      throw error
    }
  }

  private static func failure(_ path: String) -> VarveError {
    VarveError(
      .inputOutput,
      "the file cannot be written: \(String(cString: strerror(errno)))",
      at: path,
      remedy: "Check the folder, its permissions and the free space."
    )
  }
}
#endif
