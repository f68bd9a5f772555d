#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve log`
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the commits of a store, the newest arrival first.",
    discussion: """
      The time is when a commit was written, in UTC. Its values may hold from another time.

      Examples:
        varve log hats.varve
        varve log hats.varve --limit 10
        varve log hats.varve --as-of 2018-12-31
        varve log hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @Option(parsing: .unconditional, help: "The maximum number of commits.") var limit: Int?
  @Option(parsing: .unconditional, help: "The number of commits to skip.") var offset: Int = 0
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (limit ?? 0) < 0 || offset < 0 {
      throw UsageError("--limit and --offset must not be negative.")
    }
  }

  func run() async throws {
    let commits = try await file.use(readOnly: true) { store in
      try await reading.read(store) { try await $0.log(limit: limit, offset: offset) }
    }
    var answer = Answer(.array(commits.map(\.json)))
    if !commits.isEmpty { answer.show(Self.table(commits)) }
    answer.tabulate(Self.table(commits))
    try output.write(answer)
  }

  private static func table(_ commits: [CommitSummary]) -> Table {
    var table = Table([
      Table.Column(heading: "time (UTC)", isWhole: true), Table.Column(heading: "author"),
      Table.Column(heading: "message"), Table.Column(heading: "operations", isNumeric: true),
      Table.Column(heading: "commit", isWhole: true),
    ])
    for commit in commits {
      table.add(
        DateWriter.short(commit.time),
        commit.shownAuthor,
        commit.message ?? "",
        grouped(commit.operationCount),
        commit.id.description
      )
    }
    return table
  }
}
#endif
