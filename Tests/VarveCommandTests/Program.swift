#if CommandLine && Server && YAML
import Foundation
import VarveTestSupport

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

    /// The result in a successful document.
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

  private static let turns = Turns(atOnce: 6)

  private static func run(_ program: URL, _ arguments: [String]) async throws -> Run {
    await turns.take()
    do {
      let run = try await runAtOnce(program, arguments)
      await turns.give()
      return run
    } catch {
      await turns.give()
      throw error
    }
  }

  private static func runAtOnce(_ program: URL, _ arguments: [String]) async throws -> Run {
    let folder = try Scratch()
    var environment = ProcessInfo.processInfo.environment
    environment["VARVE_AUTHOR"] = nil
    environment["varve"] = executable.path
    let child = ChildProcess(
      program.path,
      arguments,
      environment: environment,
      output: folder.path("output"),
      errors: folder.path("errors")
    )
    return Run(
      status: try await child.run(),
      output: try String(contentsOfFile: child.output, encoding: .utf8),
      errors: try String(contentsOfFile: child.errors, encoding: .utf8)
    )
  }

  /// The executable, which is beside the bundle of the tests.
  private static let executable: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve").absoluteURL
  }()
}
#endif
