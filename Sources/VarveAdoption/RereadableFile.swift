import Foundation
import VarveCore

/// A file that can be read several times: the file itself, or a temporary copy of what a pipe or a
/// device yields only once.
final class RereadableFile {
  /// The name that errors give.
  let name: String
  /// Where the content is read.
  let path: String
  private let copy: URL?

  private static let chunkByteCount = 1 << 20

  /// Opens a file, and copies it if it cannot be read again.
  ///
  /// - Throws: ``VarveError``: `notFound`, `inputOutput`.
  init(_ name: String) throws {
    self.name = name
    let url = URL(fileURLWithPath: name).resolvingSymlinksInPath()
    guard (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile != true else {
      (path, copy) = (name, nil)
      return
    }
    guard let source = FileHandle(forReadingAtPath: name) else { throw Self.missing(name) }
    defer { try? source.close() }
    let target = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-\(UUID().uuidString).csv")
    (path, copy) = (target.path, target)
    do {
      try Data().write(to: target, options: .withoutOverwriting)
      let file = try FileHandle(forWritingTo: target)
      defer { try? file.close() }
      while let data = try source.read(upToCount: Self.chunkByteCount), !data.isEmpty {
        try file.write(contentsOf: data)
      }
    } catch {
      try? FileManager.default.removeItem(at: target)
      throw VarveError(
        .inputOutput,
        "the file cannot be read: \(error.localizedDescription)",
        at: name
      )
    }
  }

  deinit { if let copy { try? FileManager.default.removeItem(at: copy) } }

  static func missing(_ name: String) -> VarveError {
    VarveError(
      .notFound,
      "there is no such file to read",
      at: name,
      remedy: "Check the path of the file."
    )
  }
}
