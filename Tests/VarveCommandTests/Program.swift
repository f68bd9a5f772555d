import Foundation

/// The built command line, run as a process of its own.
enum Program {
  /// What a run left behind.
  struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The document on standard output.
    var document: Document {
      get throws { try JSONDecoder().decode(Document.self, from: Data(output.utf8)) }
    }

    /// What a successful document carries.
    var result: Document {
      get throws { try document["result"] }
    }

    /// The lines on standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs `varve` with these arguments.
  static func varve(_ arguments: String...) async throws -> Run {
    try await run(executable, arguments)
  }

  /// Runs `varve` with these arguments.
  static func varve(_ arguments: [String]) async throws -> Run {
    try await run(executable, arguments)
  }

  /// Runs a line of `bash` in which `$varve` names the program.
  static func shell(_ line: String) async throws -> Run {
    try await run(URL(fileURLWithPath: "/bin/bash"), ["-c", line])
  }

  private static func run(_ program: URL, _ arguments: [String]) async throws -> Run {
    let folder = try Scratch()
    let (output, errors) = (folder.path("output"), folder.path("errors"))
    for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["VARVE_AUTHOR"] = nil
    environment["varve"] = executable.path
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do { try process.run() } catch { done.resume(throwing: error) }
    }
    return Run(
      status: process.terminationStatus,
      output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8)
    )
  }

  /// The executable stands beside the bundle of the tests.
  private static let executable: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve").absoluteURL
  }()
}
