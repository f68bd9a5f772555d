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
  /// - Throws: `VarveError`: `notFound`, `inputOutput`.
  init(_ name: String) throws {
    self.name = name
    let url = URL(fileURLWithPath: name).resolvingSymlinksInPath()
    guard (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile != true else {
      (path, copy) = (name, nil)
      return
    }
    let source = try Self.handle(reading: name, named: name)
    defer { try? source.close() }
    let folder = FileManager.default.temporaryDirectory
    let target = folder.appendingPathComponent("varve-\(UUID().uuidString).csv")
    (path, copy) = (target.path, target)
    do {
      try Self.copy(source, named: name, to: target)
    } catch {
      try? FileManager.default.removeItem(at: target)
      throw error
    }
  }

  /// Copies what can be read only once. Its own errors and those of the copy have different places.
  private static func copy(_ source: FileHandle, named name: String, to target: URL) throws {
    let folder = target.deletingLastPathComponent().path
    let file = try writing(in: folder) {
      try Data().write(to: target, options: .withoutOverwriting)
      return try FileHandle(forWritingTo: target)
    }
    defer { try? file.close() }
    while true {
      let data: Data?
      do {
        data = try source.read(upToCount: chunkByteCount)
      } catch {
        throw VarveError.system(
          VarveError.systemNumber(of: error),
          "the file cannot be read",
          at: name,
          remedy: "Check the file and its permissions."
        )
      }
      guard let data, !data.isEmpty else { return }
      try writing(in: folder) { try file.write(contentsOf: data) }
    }
  }

  private static func writing<Result>(
    in folder: String,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw VarveError.temporaryFile(
        VarveError.systemNumber(of: error),
        "what is read cannot be copied to a temporary file",
        in: folder
      )
    }
  }

  /// Opens a file for reading.
  ///
  /// - Parameter name: the name that errors give.
  static func handle(reading path: String, named name: String) throws -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else {
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    guard ![ENOENT, ENOTDIR].contains(errno) else {
      throw VarveError(
        .notFound,
        "there is no such file to read",
        at: name,
        remedy: "Check the path of the file."
      )
    }
    throw VarveError.system(
      errno,
      "the file cannot be read",
      at: name,
      remedy: "Check its permissions."
    )
  }

  deinit { if let copy { try? FileManager.default.removeItem(at: copy) } }
}
