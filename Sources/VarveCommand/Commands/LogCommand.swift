#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore

/// `varve log`
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the commits of a store, the newest arrival first.",
    discussion: """
      The time is when a commit was written, in UTC. Its values may hold from another time. In a sealed \
      space, the log also says which device signed each commit, and which commits do not count.

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
    let (commits, signatures) = try await file.use(readOnly: true) { store in
      let commits = try await reading.read(store) {
        try await $0.log(limit: limit, offset: offset)
      }
      return (commits, try await store.sealedSignatures())
    }
    var answer = Answer(.array(commits.map { $0.json.signed(signatures, $0.id) }))
    if !commits.isEmpty { answer.show(Self.table(commits, signatures)) }
    answer.tabulate(Self.table(commits, signatures))
    try output.write(answer)
  }

  private static func table(_ commits: [CommitSummary], _ signatures: SpaceSignatures?) -> Table {
    let signer = signatures == nil ? [] : [Table.Column(heading: "signed by")]
    var table = Table(
      [
        Table.Column(heading: "time (UTC)", isWhole: true), Table.Column(heading: "author"),
        Table.Column(heading: "message"), Table.Column(heading: "operations", isNumeric: true),
      ] + signer + [Table.Column(heading: "commit", isWhole: true)]
    )
    for commit in commits {
      let cells = [
        DateWriter.short(commit.time), commit.shownAuthor, commit.message ?? "",
        grouped(commit.operationCount),
      ]
      let signature = signatures.map { [$0.signature(of: commit.id).shown] } ?? []
      table.add(cells + signature + [commit.id.description])
    }
    return table
  }
}
#endif
