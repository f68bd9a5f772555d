#if Server
import Foundation
import VarveCore
import VarveStore

extension SpaceDirectory {
  /// A space that was made of a backup.
  public struct Restored: Sendable, Hashable {
    /// The id of the space, which is that of the space that was backed up.
    public let id: String
    /// The number of its commits.
    public let commitCount: Int
  }

  /// Makes a space of a backup.
  ///
  /// The space keeps its id, so stores that are bound to it synchronise with it as before. The copy
  /// is another *incarnation* and another replica: stores notice that it is not the one they knew,
  /// compare, and hand over again what the backup lacks. The space appears under its name once it
  /// is complete and checked; a server of the folder may run meanwhile.
  ///
  /// - Parameters:
  ///   - backup: the file of the backup, which stays as it is.
  ///   - folder: the folder of the spaces.
  ///   - name: the name of the space.
  /// - Throws: `VarveError`: `notFound` if there is no such file or folder, `invalidArgument` if
  ///   the name is taken or no name of a space, `duplicateIdentifier` if the name of a space
  ///   differs in case only, `damaged`, `inputOutput`, `diskFull`.
  /// - Complexity: O(file).
  public static func restore(
    _ backup: String,
    to folder: String,
    as name: String
  ) async throws -> Restored {
    let name = try SpaceName.parse(name)
    _ = try SpaceDirectory(folder)
    let path = "\(folder)/\(name.text).varve"
    guard !FileManager.default.fileExists(atPath: path) else { throw taken(path) }
    try name.requireDifferent(from: FolderShelf(folder).names().map(\.name))
    let partial = "\(folder)/.varve-restore-\(UUID().uuidString)"
    defer {
      for file in StoreFileNames.all(of: partial) { unlink(file) }
    }
    let restored = try await prepare(partial, from: backup)
    // A link is refused if the name exists by now; a renaming would replace what has it.
    guard link(partial, path) == 0 else { throw taken(path) }
    return restored
  }

  private static func prepare(_ partial: String, from backup: String) async throws -> Restored {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    let source = try await Store.open(backup, configuration: configuration)
    do {
      try await source.backup(to: partial)
      try await source.close()
    } catch {
      try? await source.close()
      throw error
    }
    configuration.isReadOnly = false
    let copy = try await Store.open(partial, configuration: configuration)
    do {
      let log = try copy.sharedLog()
      _ = try await log.leave(try await log.replica())
      let space = try await log.space()
      let count = try await log.end().number
      // Closing it leaves everything in the one file.
      try await copy.flush()
      try await copy.close()
      return Restored(id: space.text, commitCount: Int(count))
    } catch {
      try? await copy.close()
      throw error
    }
  }

  private static func taken(_ path: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "there is a file already, or the folder cannot be written",
      at: path,
      remedy: "End the space that has the name, or move its file away while no server runs."
    )
  }
}
#endif
