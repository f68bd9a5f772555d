import Foundation

/// A folder that lives as long as this object.
package final class Scratch: Sendable {
  private let folder: URL

  package init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The folder itself.
  package var path: String { folder.path }

  /// A file in it.
  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Removes a file, if it is there.
  package func remove(_ name: String) throws {
    guard FileManager.default.fileExists(atPath: path(name)) else { return }
    try FileManager.default.removeItem(atPath: path(name))
  }

  /// The names of what is in a folder in it.
  package func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }
}
