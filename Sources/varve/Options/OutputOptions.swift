import ArgumentParser
import VarveJSON

/// Who reads the answer.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Answer with one JSON document on standard output, errors included.")
  var json = false

  /// Writes an answer.
  func write(_ answer: Answer) throws {
    if json {
      let document: JSON = ["ok": true, "result": answer.json]
      try Output.line(document.text)
    } else if !answer.lines.isEmpty {
      try Output.line(answer.lines.joined(separator: "\n"))
    }
  }
}
