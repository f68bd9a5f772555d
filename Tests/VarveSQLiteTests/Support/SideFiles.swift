import Foundation

/// The files beside a store's, which vanish with it.
let sideFileSuffixes = ["-wal", "-shm", "-checkpoint", "-journal"]

/// Puts bytes where a store was, and nothing beside them.
func replaceStore(_ path: String, with bytes: some Sequence<UInt8>) throws {
  for suffix in sideFileSuffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}
