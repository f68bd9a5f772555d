import Foundation
import VarveCore

/// A store that is being created under a temporary name in the folder of its own.
struct UnmadeFile {
  /// The temporary name.
  let partial: DatabaseName
  private let path: String
  private let place: String

  /// - Throws: ``VarveError``: `inputOutput` if a log that SQLite would read as the store's is beside
  ///   its name, or a file that SQLite would remove; `invalidArgument` if the name is that of such a
  ///   file of another store.
  init(_ name: DatabaseName) throws {
    path = try Self.followed(name.path, at: name.place)
    place = name.place
    try NewFileName.examine(path, at: place)
    try CompanionFile.requireOwn(beside: path, at: place)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    partial = DatabaseName(
      path: folder + "/.varve-\(UUID().uuidString).partial",
      place: name.place,
      isFile: true,
      key: name.key
    )
    for suffix in StoreFileNames.logs {
      guard let log = FileStatus(path + suffix), log.byteCount > 0 else { continue }
      throw VarveError(
        .inputOutput,
        "the log of a store that had the name before is there, with commits that it lacked",
        at: name.place + suffix,
        remedy: "Put that store back, or remove the log."
      )
    }
  }

  /// Returns the path at the end of a chain of links, none of which leads to a file.
  private static func followed(_ path: String, at place: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      path = link.hasPrefix("/") ? link : folder + "/" + link
    }
    throw VarveError(.inputOutput, "the links form a cycle", at: place)
  }

  /// Gives the file its name, unless another file has it by now.
  func publish() throws {
    guard case .failed(let number) = FileNaming.name(partial.path, as: path) else { return }
    throw VarveError.system(number, "the store cannot be named", at: place)
  }

  /// Removes what is left under the temporary name.
  func discard() {
    for file in StoreFileNames.all(of: partial.path) { unlink(file) }
  }
}
