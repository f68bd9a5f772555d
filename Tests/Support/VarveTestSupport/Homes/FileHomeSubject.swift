import Foundation
package import VarveCore

/// A ``FileHome`` under trial.
package final class FileHomeSubject: HomeSubject {
  package let clock = TestClock()
  private let scratch: Scratch

  package init() throws { scratch = try Scratch() }

  /// The file of the log.
  package var path: String { scratch.path("home") }

  package func open() async throws -> any LogHome { try home() }

  /// Opens the home.
  package func home() throws -> FileHome {
    try FileHome(path) { [clock] in HybridTime(millisecondsSince1970: clock.now) }
  }

  package func lostTurn() async throws -> any HomeTurn { try home().turn() }

  /// The file of the copy.
  package var backupPath: String { scratch.path("backup") }

  private var backup: URL { URL(fileURLWithPath: backupPath) }

  package func backUp() async throws {
    try Data(contentsOf: URL(fileURLWithPath: path)).write(to: backup)
  }

  package func goBack() async throws {
    try Data(contentsOf: backup).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  package func stores(_ bytes: [UInt8]) async throws -> Bool {
    try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(bytes)) != nil
  }
}
