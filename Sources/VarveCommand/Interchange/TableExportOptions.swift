import ArgumentParser
import Foundation
import VarveAdoption
import VarveCore
import VarveJSON
import VarveStore

/// The options of `varve export` for SQLite databases and comma-separated lines.
struct TableExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write an SQLite database, with a table for each type.", valueName: "file"),
    completion: .file()
  )
  var sqlite: String?

  @Flag(help: "Write the entities of --type as comma-separated lines.")
  var csv = false

  @Option(help: ArgumentHelp("The type of the comma-separated lines.", valueName: "type"))
  var type: String?

  @OptionGroup var naming: NamingOptions

  /// Whether tables are written rather than a document.
  var isWanted: Bool { sqlite != nil || csv }

  func validate() throws {
    if csv, sqlite != nil { throw UsageError("Use --sqlite or --csv, not both.") }
    if naming.strict, !csv { throw UsageError("--strict belongs to --csv.") }
    if csv != (type != nil) { throw UsageError("--csv and --type belong together.") }
  }

  /// Writes a database, and returns the report.
  func export(_ store: Store, at moment: Moment, to path: String) async throws -> Answer {
    let report = try await store.asOf(moment).export(sqlite: path)
    var answer = Answer(
      .object([
        JSON.Member(name: "form", value: .string("sqlite")),
        JSON.Member(name: "output", value: .string(path)),
        JSON.Member(name: "records", value: .count(report.entityCount)),
        JSON.Member(name: "links", value: .count(report.linkCount)),
        JSON.Member(name: "tables", value: .array(report.tables.map { .string($0) })),
      ])
    )
    answer.say(
      "wrote \(counted(report.entityCount, "entity", "entities")) and "
        + "\(counted(report.linkCount, "link")) to \(path.printable), "
        + counted(report.tables.count, "table")
    )
    return answer
  }

  /// Returns the report for lines that were written to a file.
  func answer(_ count: Int, _ output: String) -> Answer {
    var answer = Answer(
      .object([
        JSON.Member(name: "form", value: .string("csv")),
        JSON.Member(name: "output", value: .string(output)),
        JSON.Member(name: "records", value: .count(count)),
      ])
    )
    answer.say("wrote \(counted(count, "entity", "entities")) to \(output.printable)")
    return answer
  }
}
