import Foundation
import VarveCore

extension SQLiteBackend {
  /// Flushes the write-ahead log to the disk. Content that is no longer in it was flushed when it
  /// was copied into the file.
  package func flush() async throws {
    try checkOpen()
    try await configuration.home?.flush()
    guard case .file(let path) = location else { return }
    let log = StoreFile.resolved(path) + "-wal"
    do {
      // SQLite holds no locks on this file, which closing a handle on it would release.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: log))
      defer { try? handle.close() }
      try handle.synchronize()
    } catch CocoaError.fileReadNoSuchFile {
      // Nothing was written yet, or the log was copied and removed when the store was last closed.
      return
    } catch {
      throw VarveError(
        .inputOutput,
        "the log could not be flushed to the disk: \(error.localizedDescription)",
        at: log,
        remedy:
          "Check the disk. Until it works, the latest commits may not survive a power loss."
      )
    }
  }
}
