import ArgumentParser
import VarveJSON

/// The format of the output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document on standard output, also for an error.")
  var json = false

  @Flag(help: "Print a table as comma-separated values.")
  var csv = false

  func validate() throws {
    if json, csv { throw UsageError("Use --json or --csv, not both.") }
  }

  /// Writes a result.
  func write(_ answer: Answer) throws {
    if json {
      let document: JSON = ["ok": true, "result": answer.json]
      try Output.line(document.text)
    } else if csv, let table = answer.table {
      try Output.text(table.csv)
    } else if !answer.lines.isEmpty {
      try Output.line(answer.lines.joined(separator: "\n"))
    }
  }
}
