import Foundation
package import VarveCore

/// A home of several spaces: a folder with a ``FileHome`` for each.
package struct FolderHome: Home {
  private let folder: URL
  private let wall: (@Sendable () -> HybridTime)?

  /// Opens a folder, and creates it if it does not exist.
  package init(_ path: String, wall: (@Sendable () -> HybridTime)? = nil) throws {
    folder = URL(fileURLWithPath: path)
    self.wall = wall
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  package func spaces() async throws -> [SpaceSummary] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".log") }
      .map { try HomeFile(folder.appendingPathComponent($0)) }
      .map { SpaceSummary(id: $0.space, name: $0.name) }
      .sorted { $0.name < $1.name }
  }

  package func create(_ name: String) async throws -> SpaceSummary {
    let deadline = ContinuousClock.now + .seconds(10)
    let lock = try await ProcessLock(folder.appendingPathComponent("lock").path, until: deadline)
    defer { lock.release() }
    guard try await !spaces().contains(where: { $0.name == name }) else {
      throw VarveError(
        .duplicateIdentifier,
        "a space is called \"\(name)\" already",
        at: folder.path,
        remedy: "Use another name, or end that space."
      )
    }
    let space = SpaceID.random()
    _ = try FileHome(path(of: space), space: space, name: name)
    return SpaceSummary(id: space, name: name)
  }

  package func log(of space: SpaceID) async throws -> any LogHome {
    guard FileManager.default.fileExists(atPath: path(of: space)) else {
      throw VarveError.noSuchSpace(space, at: folder.path)
    }
    return try FileHome(path(of: space), wall: wall)
  }

  package func end(_ space: SpaceID) async throws {
    guard FileManager.default.fileExists(atPath: path(of: space)) else {
      throw VarveError.noSuchSpace(space, at: folder.path)
    }
    try FileManager.default.removeItem(atPath: path(of: space))
  }

  private func path(of space: SpaceID) -> String {
    folder.appendingPathComponent("\(space).log").path
  }
}
