import Foundation
import VarveCore

/// A file that appears under its name when it is whole, in place of what stood there before.
enum FileReplacement {
  /// Writes beside the file, then takes its name. What fails leaves it as it was.
  static func write<Result>(
    _ path: String,
    _ body: (@escaping ([UInt8]) throws -> Void) async throws -> Result
  ) async throws -> Result {
    let beside = "\(path).\(ProcessInfo.processInfo.processIdentifier).partial"
    guard FileManager.default.createFile(atPath: beside, contents: nil),
      let handle = FileHandle(forWritingAtPath: beside)
    else { throw VarveError(.inputOutput, "the file cannot be written", at: path) }
    do {
      let result = try await body { try handle.write(contentsOf: Data($0)) }
      try handle.close()
      guard rename(beside, path) == 0 else {
        throw VarveError(.inputOutput, String(cString: strerror(errno)), at: path)
      }
      return result
    } catch {
      try? handle.close()
      try? FileManager.default.removeItem(atPath: beside)
      throw error
    }
  }
}
