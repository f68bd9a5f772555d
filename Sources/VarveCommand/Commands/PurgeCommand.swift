#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve purge`
struct PurgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Destroy all values that entities ever had.",
    discussion: """
      Every value they had is removed from all history, here and, once synchronised, in every \
      other store. Live ones are erased first, with everything only they own. Identifiers, types, \
      times and relations stay. This cannot be undone. In a sealed space whose membership is ordered \
      elsewhere, the values go at the next synchronisation with its home.

      Examples:
        varve purge hats.varve hat-1
        varve purge hats.varve hat-1 hat-2 --author sam --message asked
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The identifiers.") var ids: [String]
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  /// When a purge or a compaction of a sealed space takes effect away from the home.
  static let pendingText =
    "when this store next synchronises with the one that orders the membership"

  func run() async throws {
    let ids = try ids.map { try EntityID($0) }
    let (report, commit) = try await file.use { store in
      try await writing.commit(to: store) { try await $0.purge(ids) }
    }
    var members: [JSON.Member] = [
      JSON.Member(name: "erased", value: report.died.json),
      JSON.Member(name: "places", value: .integer(Int64(report.placeCount))),
      JSON.Member(name: "commit", value: commit.json),
    ]
    if report.isPending { members.append(JSON.Member(name: "pending", value: true)) }
    var answer = Answer(.object(members))
    let what =
      "the content of \(counted(report.placeCount, "write")) of "
      + counted(ids.count, "entity", "entities")
    if report.isPending {
      answer.say("will destroy \(what)\(commit.shown) \(Self.pendingText)")
    } else {
      answer.say("destroyed \(what)\(commit.shown)")
    }
    try output.write(answer)
  }
}
#endif
