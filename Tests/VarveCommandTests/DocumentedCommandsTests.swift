#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Runs the commands of the documents, which follow `$ ` in blocks of code, in a folder of their
/// own, and compares the documented output. Twelve hexadecimal digits stand for any commit. A block
/// marked "json" with a name is that file.
@Suite struct DocumentedCommandsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A command and what it prints; nothing where the document leaves that out.
  struct Example {
    let command: String
    var output: [String] = []
  }

  @Test(arguments: [
    "Documentation/Tour.md", "Documentation/Commands.md", "Documentation/Mapping.md",
  ])
  func `every documented command has the documented result`(document: String) async throws {
    let (examples, files) = try Self.examples(in: document)
    #expect(examples.count > 3)
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path(name)))
    }
    for example in examples {
      let line = "cd '\(scratch.path(""))'; varve() { \"$varve\" \"$@\"; }; \(example.command)"
      let run = try await Program.shell(line)
      #expect(run.status == 0, "\(example.command): \(run.errors)")
      guard !example.output.isEmpty else { continue }
      let lines = run.output.split(whereSeparator: \.isNewline).map { Self.anyCommit(String($0)) }
      #expect(lines == example.output.map(Self.anyCommit), "\(example.command)")
    }
  }

  private static func examples(
    in document: String
  ) throws -> (examples: [Example], files: [String: String]) {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
    var examples: [Example] = []
    var files: [String: String] = [:]
    var file: String?
    var isInside = false
    var hasBegun = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isInside.toggle()
        hasBegun = false
        file = line.hasPrefix("```json ") ? String(line.dropFirst(8)) : nil
      } else if let file {
        files[file, default: ""] += line + "\n"
      } else if isInside, line.hasPrefix("$ ") {
        examples.append(Example(command: String(line.dropFirst(2))))
        hasBegun = true
      } else if hasBegun, !line.isEmpty {
        examples[examples.count - 1].output.append(line)
      }
    }
    return (examples, files)
  }

  private static func anyCommit(_ line: String) -> String {
    line.replacing(/\b[0-9a-f]{12}\b/, with: "(commit)")
  }
}
#endif
