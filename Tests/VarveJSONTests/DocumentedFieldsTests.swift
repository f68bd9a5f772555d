import Foundation
import Testing
import VarveJSON
import VarveStore

/// Compares the table of fields in `Documentation/Operations.md` with what operations take.
@Suite struct DocumentedFieldsTests {
  private struct Row {
    let name: String
    let own: Set<String>
    let common: Set<String>
  }

  @Test func `every operation has the documented fields, and no others`() async throws {
    let (rows, examples) = try Self.document()
    #expect(Set(rows.map(\.name)) == Set(OperationRunner.operationNames))
    let all = rows.reduce(into: Set<String>()) { $0.formUnion($1.own.union($1.common)) }
    let runner = OperationRunner(try await Store.open(.inMemory))
    for row in rows {
      let forms = await Self.forms(of: examples[row.name] ?? [], row, runner)
      #expect(!forms.isEmpty, "\(row.name)")
      for field in all.sorted() {
        var isTaken = false
        for form in forms where !isTaken { isTaken = await Self.takes(field, form, runner) }
        #expect(isTaken == row.own.union(row.common).contains(field), "\(row.name): \(field)")
      }
    }
  }

  /// The examples, complete and without each one field, if an added unknown field is their only
  /// error.
  private static func forms(
    of examples: [JSON],
    _ row: Row,
    _ runner: OperationRunner
  ) async -> [[JSON.Member]] {
    var forms: [[JSON.Member]] = []
    for case .object(let members) in examples {
      forms.append(members)
      forms += members.filter { row.own.contains($0.name) }.map { one in
        members.filter { $0.name != one.name }
      }
    }
    var readable: [[JSON.Member]] = []
    for form in forms where await !takes("no such field", form, runner) { readable.append(form) }
    return readable
  }

  /// Whether an operation has a field beside some others.
  private static func takes(
    _ field: String,
    _ form: [JSON.Member],
    _ runner: OperationRunner
  ) async -> Bool {
    if form.contains(where: { $0.name == field }) { return true }
    // Few fields have a value of this type, so only the name of the field decides.
    let operation = JSON.object(form + [JSON.Member(name: field, value: [["x": 1]])])
    let answer = await runner.run(operation)
    guard case .string(let message)? = answer["error"]?["message"] else { return true }
    return !message.contains("an operation has no field \"\(field)\"")
  }

  /// The rows of the table, and the examples of each operation.
  private static func document() throws -> (rows: [Row], examples: [String: [JSON]]) {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Operations.md")
    var rows: [Row] = []
    var examples: [String: [JSON]] = [:]
    var isTable = false
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("## ") { isTable = line == "## The fields of every operation" }
      if isTable, line.hasPrefix("| `") {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
          .map { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
        rows.append(Row(name: cells[0][0], own: Set(cells[1]), common: Set(cells[2])))
      } else if line.hasPrefix("{"), let json = try? JSONReader.read(line),
        case .string(let name)? = json["op"]
      {
        examples[name, default: []].append(json)
      }
    }
    return (rows, examples)
  }
}
