import Foundation
import VarveCore

/// A file that appears under its name when it is whole, in place of what stood there before.
enum FileReplacement {
  /// Writes beside the file, then takes its name, permissions and, where allowed, its owner. What
  /// fails leaves it as it was.
  ///
  /// - Parameters:
  ///   - path: the file; no link, and nothing but an ordinary file.
  ///   - name: what people call it.
  static func write<Result>(
    _ path: String,
    named name: String,
    _ body: (@escaping ([UInt8]) throws -> Void) async throws -> Result
  ) async throws -> Result {
    let beside = Links.folder(path) + "/.varve-\(UUID().uuidString).partial"
    let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Output.failure("the document", at: name) }
    do {
      defer { close(descriptor) }
      if let status = FileStatus(path) {
        _ = fchown(descriptor, status.owner.user, status.owner.group)
        _ = fchmod(descriptor, status.permissions)
      }
      let result = try await body { try Output.bytes($0, to: descriptor, at: name) }
      guard fsync(descriptor) == 0, rename(beside, path) == 0 else {
        throw Output.failure("the document", at: name)
      }
      return result
    } catch {
      unlink(beside)
      throw error
    }
  }
}
