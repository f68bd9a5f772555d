import Foundation
import Synchronization

/// A folder for copies of the corpus, which lives as long as this object.
final class GoldenScratch: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-golden-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A path in it.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Copies a file or folder of the corpus into it.
  func copy(_ name: String) throws -> String {
    try FileManager.default.copyItem(atPath: GoldenCorpus.url(name).path, toPath: path(name))
    return path(name)
  }
}

/// Bytes that are gathered.
final class GoldenOutput: Sendable {
  private let bytes = Mutex(Data())

  func add(_ part: [UInt8]) { bytes.withLock { $0.append(contentsOf: part) } }

  var data: Data { bytes.withLock { $0 } }
}
