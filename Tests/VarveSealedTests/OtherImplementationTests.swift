import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

/// Scripts/sealed-vectors.py verifies vectors that Swift makes, if Python has `cryptography`.
@Suite("Another implementation of sealed spaces")
struct OtherImplementationTests {
  private static let script = VectorFile.path
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/sealed-vectors.py").path

  /// A Python with `cryptography`, or nil.
  private static func python() async throws -> String? {
    for program in ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    where FileManager.default.isExecutableFile(atPath: program) {
      if try await ChildProcess(program, ["-c", "import cryptography"]).run() == 0 {
        return program
      }
    }
    let searched = try await ChildProcess("/usr/bin/env", ["python3", "-c", "import cryptography"])
      .run()
    return searched == 0 ? "/usr/bin/env" : nil
  }

  /// Runs the script; its exit status and what it said.
  private func run(_ arguments: [String], _ scratch: Scratch) async throws -> (Int32, String)? {
    guard let python = try await Self.python() else {
      print("no Python has the package cryptography: what it would verify is not verified")
      return nil
    }
    let prefix = python == "/usr/bin/env" ? ["python3"] : []
    let status = try await ChildProcess(
      python,
      prefix + [Self.script] + arguments,
      output: scratch.path("output"),
      errors: scratch.path("errors")
    ).run()
    let texts = ["output", "errors"].map {
      try? String(contentsOfFile: scratch.path($0), encoding: .utf8)
    }
    return (status, texts.compactMap(\.self).joined())
  }

  @Test func `it verifies what Swift made and finds every change`() async throws {
    let scratch = try Scratch()
    let file = try SwiftVectors.make(histories: Seeds.isSoak ? 200 : 25)
    let path = scratch.path("vectors.json")
    func verify(_ file: VectorFile) async throws -> (Int32, String)? {
      try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: path))
      return try await run(["verify", path], scratch)
    }
    guard let (status, output) = try await verify(file) else { return }
    #expect(status == 0, "\(output)")
    for change in SwiftVectors.changes {
      var changed = file
      change(&changed)
      let (status, output) = try #require(try await verify(changed))
      #expect(status == 1, "\(output)")
    }
  }

  @Test func `the committed file is what the script makes`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("made.json")
    guard let (status, output) = try await run(["make", path], scratch) else { return }
    #expect(status == 0, "\(output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contentsOf: VectorFile.path))
  }
}
