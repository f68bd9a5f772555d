#if CommandLine
import ArgumentParser
import VarveJSON

/// The format of the output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document on standard output, also for an error.")
  var json = false

  @Flag(help: "Print a table as comma-separated values.")
  var csv = false

  @Flag(name: .customLong("no-pager"), help: "Show long tables on a terminal without a pager.")
  var hasNoPager = false

  func validate() throws {
    if json, csv { throw UsageError("Use --json or --csv, not both.") }
  }

  /// Writes a result.
  func write(_ answer: Answer) throws {
    if json {
      var members = [
        JSON.Member(name: "ok", value: true), JSON.Member(name: "result", value: answer.json),
      ]
      if !answer.notes.isEmpty {
        members.append(
          JSON.Member(name: "notes", value: .array(answer.notes.map { .string($0) }))
        )
      }
      try Output.documents(JSON.object(members).text + "\n")
    } else if csv, let table = answer.table {
      try Output.text(table.csv)
    } else if !answer.lines.isEmpty {
      let text = answer.lines.joined(separator: "\n")
      try hasNoPager ? Output.line(text) : Pager.show(text)
    }
    for note in answer.notes { Output.remark(note) }
  }
}
#endif
