import Foundation

/// A folder that lives as long as this object.
final class Scratch: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A file in it.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A fresh store with two hats and a shop that owns the first.
  func hats(_ name: String = "hats.varve") async throws -> String {
    let store = path(name)
    let commands = [
      ["init", store],
      ["set", store, "shop-1", "--type", "Shop", "name=Chapeau"],
      ["set", store, "hat-1", "--type", "Hat", "color=red", "size:=12"],
      ["set", store, "hat-2", "--type", "Hat", "color=green", "size:=7", "sold:=true"],
      ["relate", store, "shop-1", "owns", "hat-1"],
    ]
    for command in commands {
      let run = try await Program.varve(command)
      guard run.status == 0 else { throw Unexpected(run: run) }
    }
    return store
  }

  /// A command that should have worked did not.
  struct Unexpected: Error { let run: Program.Run }
}
