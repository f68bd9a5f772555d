#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve compact`
struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Fold old history to make the store smaller.",
    discussion: """
      Values from before the horizon are dropped unless they still matter, here and, once \
      synchronised, in every other store. The present and states after the horizon do not change; \
      earlier states can no longer be read. This cannot be undone.

      Examples:
        varve compact hats.varve --keeping 90d
        varve compact hats.varve --before 2018-03-01 --author sam
      """
  )

  @OptionGroup var file: StoreFile
  @Option(
    help: ArgumentHelp("The history to keep: 90d, 12w, 36h.", valueName: "time"),
    transform: KeptTime.parse
  )
  var keeping: Duration?
  @Option(
    help: ArgumentHelp("The horizon, a date.", valueName: "date"),
    transform: DateArgument.parse
  )
  var before: Date?
  @Option(help: "The author; VARVE_AUTHOR by default.") var author: String?
  @Option(help: ArgumentHelp("The commit message.", valueName: "text")) var message = ""
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (keeping == nil) != (before == nil) else {
      throw ValidationError("use either --keeping or --before")
    }
  }

  func run() async throws {
    let author = WritingOptions.name(author)
    let (report, old, new) = try await file.use { store in
      let old = try await store.storageSizes()
      let report = try await Progress.during("compact", "") { _ in
        if let keeping {
          return try await store.compact(keeping: keeping, author: author, message: message)
        }
        return try await store.compact(
          before: before ?? .distantPast,
          author: author,
          message: message
        )
      }
      return (report, old, try await store.storageSizes())
    }
    let bytes = (before: old.fileByteCount, after: new.fileByteCount)
    var members: [JSON.Member] = [
      JSON.Member(name: "folded", value: .integer(Int64(report.cellCount))),
      JSON.Member(name: "commit", value: report.commit.json),
      JSON.Member(
        name: "bytes",
        value: ["before": .integer(Int64(bytes.before)), "after": .integer(Int64(bytes.after))]
      ),
    ]
    if report.isPending { members.append(JSON.Member(name: "pending", value: true)) }
    var answer = Answer(.object(members))
    let what = "\(counted(report.cellCount, "value", "values"))\(report.commit.shown)"
    if report.isPending {
      answer.say("will fold \(what) \(PurgeCommand.pendingText)")
    } else if report.cellCount == 0 {
      answer.say("nothing to fold")
    } else {
      answer.say("folded \(what): \(bytes.before) bytes before, \(bytes.after) after")
    }
    try output.write(answer)
  }
}

/// Parses a duration argument.
enum KeptTime {
  private static let seconds: [Character: Int64] = ["h": 3_600, "d": 86_400, "w": 7 * 86_400]

  @Sendable static func parse(_ text: String) throws -> Duration {
    guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int64(text.dropLast()),
      (0...100_000).contains(count)
    else { throw UsageError("write a time as 90d (days), 12w (weeks) or 36h (hours)") }
    return .seconds(count * unit)
  }
}
#endif
