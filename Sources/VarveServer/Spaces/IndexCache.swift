#if Server
import Foundation
import Synchronization
import VarveCore

/// A folder with the indexes of spaces, each in a file named after the space's id.
///
/// One process uses it at a time. Beyond a number of bytes, the indexes that were not used for the
/// longest time are removed; they are made anew when they are needed.
final class IndexCache: Sendable {
  let folder: String
  /// The size that the indexes may have together; nil for any.
  let limit: Int?
  /// The file whose lock keeps other processes out.
  private let lock: Int32
  private let recency = Mutex(Recency())

  private struct Recency {
    var clock: UInt64 = 0
    var uses: [SpaceID: UInt64] = [:]
  }

  private static let suffix = ".varve"

  /// - Throws: `VarveError`: `busy` if another process uses the folder, `inputOutput` if it
  ///   cannot be created.
  init(_ folder: String, limit: Int?) throws {
    self.folder = folder
    self.limit = limit
    try? FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    lock = Foundation.open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw VarveError(
        .inputOutput,
        "the folder of the indexes cannot be used",
        at: folder,
        remedy: "Check the folder and its permissions."
      )
    }
    // From here on, deinit closes the file, also after an error.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw VarveError(
        .busy,
        "another process uses the folder of the indexes",
        at: folder,
        remedy: "Give each host a folder of its own."
      )
    }
  }

  deinit { if lock >= 0 { close(lock) } }

  /// Whether a folder is one of indexes.
  static func isCache(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/lock")
  }

  /// The file of a space's index.
  func file(of space: SpaceID) -> String { "\(folder)/\(space.text)\(Self.suffix)" }

  /// Notes that an index is used now.
  func noteUse(of space: SpaceID) {
    recency.withLock { recency in
      recency.clock += 1
      recency.uses[space] = recency.clock
    }
  }

  /// Removes an index that is closed.
  func remove(_ space: SpaceID) {
    recency.withLock { $0.uses[space] = nil }
    Self.removeFiles(file(of: space))
  }

  static func removeFiles(_ file: String) {
    for name in StoreFileNames.all(of: file) { unlink(name) }
  }

  /// The size of all indexes together, in bytes.
  var byteCount: Int { sizes().reduce(0) { $0 + $1.value } }

  /// The sizes of the indexes, with the files beside them.
  private func sizes() -> [SpaceID: Int] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var sizes: [SpaceID: Int] = [:]
    for file in files {
      guard let end = file.range(of: Self.suffix),
        let space = SpaceID(String(file[..<end.lowerBound]))
      else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
      sizes[space, default: 0] += attributes?[.size] as? Int ?? 0
    }
    return sizes
  }

  /// Returns the indexes that must go so that the others fit, those that were not used for the
  /// longest time first.
  ///
  /// - Parameter kept: the spaces in use, which stay.
  func surplus(keeping kept: Set<SpaceID>) -> [SpaceID] {
    guard let limit else { return [] }
    let sizes = sizes()
    var rest = sizes.reduce(0) { $0 + $1.value }
    let uses = recency.withLock { $0.uses }
    var surplus: [SpaceID] = []
    for (space, size) in sizes.sorted(by: { uses[$0.key] ?? 0 < uses[$1.key] ?? 0 }) {
      guard rest > limit else { break }
      guard !kept.contains(space) else { continue }
      surplus.append(space)
      rest -= size
    }
    return surplus
  }
}
#endif
