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
      times and relations stay. This cannot be undone.

      Examples:
        varve purge hats.varve hat-1
        varve purge hats.varve hat-1 hat-2 --author sam --message asked
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The identifiers.") var ids: [String]
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let ids = try ids.map { try EntityID($0) }
    let (report, commit) = try await file.use { store in
      try await writing.commit(to: store) { try await $0.purge(ids) }
    }
    var answer = Answer([
      "erased": report.died.json, "places": .integer(Int64(report.placeCount)),
      "commit": commit.json,
    ])
    answer.say(
      "destroyed the content of \(counted(report.placeCount, "write")) of "
        + "\(counted(ids.count, "entity", "entities"))\(commit.shown)"
    )
    try output.write(answer)
  }
}
#endif
