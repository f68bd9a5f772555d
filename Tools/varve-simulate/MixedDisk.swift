import Foundation
import VarveCore
import VarveSQLite
import VarveTestSupport

/// A disk on which even stores are reference backends and odd ones SQLite files, some of which
/// index a log that is at home in a file of its own.
final class MixedDisk: SimulatedDisk {
  private let references: ReferenceDisk
  private let folder: URL

  init(_ fault: PlantedFault?) throws {
    references = ReferenceDisk { number in fault == .purgesIgnored && number % 4 == 0 }
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-simulate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A folder for what stores exchange.
  var shared: String { folder.appendingPathComponent("shared").path }

  private func path(_ number: Int) -> String { folder.appendingPathComponent("\(number)").path }

  func open(
    _ number: Int,
    wallMilliseconds: @escaping @Sendable () -> Int64
  ) async throws -> any Backend {
    guard number % 2 == 1 else {
      return try await references.open(number, wallMilliseconds: wallMilliseconds)
    }
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = wallMilliseconds
    configuration.touchCapacity = number % 4 == 1 ? 10 : configuration.touchCapacity
    if number % 8 == 3 {
      configuration.home = try FileHome(path(number) + "-home") {
        HybridTime(millisecondsSince1970: wallMilliseconds())
      }
    }
    return try await SQLiteBackend.open(.file(path(number)), configuration: configuration)
  }

  func copy(_ number: Int, to other: Int) throws {
    guard number % 2 == 1 else { return try references.copy(number, to: other) }
    for suffix in ["", "-wal", "-shm", "-checkpoint"] {
      try? FileManager.default.removeItem(atPath: path(other) + suffix)
    }
    try FileManager.default.copyItem(atPath: path(number), toPath: path(other))
    if number % 8 == 3, other % 8 == 3 {
      try? FileManager.default.removeItem(atPath: path(other) + "-home")
      try FileManager.default.copyItem(
        atPath: path(number) + "-home",
        toPath: path(other) + "-home"
      )
    }
    if FileManager.default.fileExists(atPath: path(number) + "-wal") {
      try FileManager.default.copyItem(
        atPath: path(number) + "-wal",
        toPath: path(other) + "-wal"
      )
    }
  }
}
