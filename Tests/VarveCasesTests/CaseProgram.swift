import Foundation

/// The built case runner, run as a process of its own.
enum CaseProgram {
  struct Run {
    let status: Int32
    let lines: [String]
  }

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Cases")

  /// The open cases.
  static let cases = folder.appendingPathComponent("cases.json").path

  /// The cases that passed once.
  static var expectedPasses: [String] {
    get throws {
      let list = folder.appendingPathComponent("expected-passes.txt")
      return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init)
    }
  }

  /// The names of all open cases.
  static var identifiers: [String] {
    get throws {
      struct File: Decodable {
        struct Case: Decodable { let id: String }
        let cases: [Case]
      }
      let data = try Data(contentsOf: URL(fileURLWithPath: cases))
      return try JSONDecoder().decode(File.self, from: data).cases.map(\.id)
    }
  }

  /// Runs the cases in a text.
  static func run(text: String) async throws -> Run {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-cases-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(text.utf8).write(to: file)
    return try await run(file.path)
  }

  static func run(_ arguments: String...) async throws -> Run {
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-cases-\(UUID().uuidString).txt")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
    let text = try String(contentsOf: output, encoding: .utf8)
    return Run(
      status: process.terminationStatus,
      lines: text.split(separator: "\n").map(String.init)
    )
  }

  /// The executable, which is beside the bundle of the tests.
  private static let executable: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve-cases").absoluteURL
  }()
}
