import Foundation

/// A fresh folder for the databases, removed at the end.
final class Workspace {
  let root: URL
  private var number = 0

  init() throws {
    root = FileManager.default.temporaryDirectory
      .appending(path: "varve-bench-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { remove() }

  func remove() { try? FileManager.default.removeItem(at: root) }

  /// Returns a path at which there is no file.
  func freshPath(_ suffix: String = "db") -> String {
    number += 1
    return root.appending(path: "\(number).\(suffix)").path
  }

  /// Returns a copy of a closed database.
  func copy(of path: String) throws -> String {
    let copy = freshPath((path as NSString).pathExtension)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  /// Returns the number of bytes of a closed database.
  func byteCount(of path: String) throws -> Int {
    try [path, path + "-wal"].reduce(0) { sum, file in
      guard FileManager.default.fileExists(atPath: file) else { return sum }
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      return sum + (size ?? 0)
    }
  }

  /// Removes a database with what SQLite keeps beside it.
  func discard(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-checkpoint"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
