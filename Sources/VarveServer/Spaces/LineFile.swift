#if Server
import Foundation
import VarveCore
import VarveJSON

/// A file of JSON objects, one a line, to which lines are appended.
struct LineFile: Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  /// Appends a line, which is on the disk afterwards.
  func append(_ json: JSON) throws {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be opened") }
    defer { close(descriptor) }
    // A line that a lack of power cut short is no reason to lose the next.
    let bytes = Array((isLineOpen ? "\n" : "").utf8) + Array("\(json.text)\n".utf8)
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count, FileFlush.flush(descriptor) else {
      throw failure("cannot be written")
    }
  }

  /// Whether the last line has no end.
  private var isLineOpen: Bool {
    guard let handle = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? handle.close() }
    guard let end = try? handle.seekToEnd(), end > 0 else { return false }
    try? handle.seek(toOffset: end - 1)
    return (try? handle.read(upToCount: 1)) != Data([0x0A])
  }

  /// Returns the objects; lines that cannot be read are left out.
  func read() throws -> [JSON] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw failure("cannot be read")
    }
    return bytes.split(separator: 0x0A).compactMap { try? JSONReader.read(bytes: Array($0)) }
  }

  private func failure(_ what: String) -> VarveError {
    VarveError(
      .inputOutput,
      "the file \(what)",
      at: path,
      remedy: "Check the folder, its permissions and the free space."
    )
  }
}
#endif
