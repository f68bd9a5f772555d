import Foundation
import Testing
import VarveJSON
import VarveStore

/// Runs the examples of `Documentation/Operations.md`.
///
/// In the blocks marked `jsonl`, a line that begins with `→ ` is the result of the line before it.
/// `…` stands for text that differs from run to run. The whole document is one session.
@Suite struct DocumentedOperationsTests {
  @Test func `every documented example has the documented answer`() async throws {
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = { 1_717_243_200_000 }
    let store = try await Store.open(.inMemory, configuration: configuration)
    let runner = OperationRunner(store)
    var answer: String?
    var count = 0
    for (number, line) in try Self.lines().enumerated() {
      if line.hasPrefix("→ ") {
        let wanted = String(line.dropFirst(2))
        let got = try #require(answer, "line \(number + 1) answers nothing")
        #expect(Self.matches(got, wanted), "example \(count): got \(got), documented \(wanted)")
        answer = nil
      } else {
        #expect(answer == nil, "an example has no answer: \(line)")
        answer = await runner.run(line: Array(line.utf8), number: 1).text
        count += 1
      }
    }
    #expect(count > 25)
  }

  @Test func `every operation is documented with an example`() throws {
    let documented = Set(
      try Self.lines().filter { $0.hasPrefix("{") }.compactMap { line -> String? in
        guard case .string(let name)? = (try? JSONReader.read(line))?["op"] else { return nil }
        return name
      }
    )
    let missing = Set(OperationRunner.operationNames).subtracting(documented)
    #expect(missing.isEmpty, "\(missing)")
  }

  private static func lines() throws -> [String] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Operations.md")
    var isInside = false
    var lines: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("```") {
        isInside = line == "```jsonl"
      } else if isInside {
        lines.append(String(line))
      }
    }
    return lines
  }

  /// Returns whether a result is the documented one, where `…` stands for any text.
  private static func matches(_ got: String, _ wanted: String) -> Bool {
    let parts = wanted.components(separatedBy: "…")
    guard let first = parts.first, got.hasPrefix(first) else { return false }
    var rest = got.dropFirst(first.count)
    for (index, part) in parts.enumerated().dropFirst() {
      if index == parts.count - 1 { return rest.hasSuffix(part) }
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.isEmpty
  }
}
