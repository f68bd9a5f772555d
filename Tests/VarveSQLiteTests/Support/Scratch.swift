import Foundation

/// A folder that lives as long as this object.
final class Scratch: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The folder itself.
  var path: String { folder.path }

  /// A file in it.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}

/// The files beside a store's, which vanish with it.
let sideFileSuffixes = ["-wal", "-shm", "-checkpoint", "-journal"]

/// Puts bytes where a store was, and nothing beside them.
func replaceStore(_ path: String, with bytes: some Sequence<UInt8>) throws {
  for suffix in sideFileSuffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}
