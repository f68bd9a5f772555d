#if CommandLine
import Foundation
import VarveCore

/// Replaces a file once the new content is complete.
enum FileReplacement {
  /// Writes a temporary file in the same folder, which then takes over the file's name, permissions
  /// and, if allowed, owner. A failure leaves the file unchanged.
  ///
  /// - Parameters:
  ///   - path: the file: not a link, and an ordinary file.
  ///   - name: the name of the file in messages.
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
      guard FileFlush.flush(descriptor), rename(beside, path) == 0 else {
        throw Output.failure("the document", at: name)
      }
      return result
    } catch {
      unlink(beside)
      throw error
    }
  }
}
#endif
