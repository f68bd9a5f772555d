import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve issues`
struct IssuesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issues",
    abstract: "List what is against declared rules.",
    discussion: """
      No rules can be declared yet, so there is nothing to be against: the list is empty.

      Examples:
        varve issues hats.varve
        varve issues hats.varve --as-of 2024-05-01 --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await file.use(readOnly: true) { store in try await reading.read(store) { _ in } }
    var answer = Answer([])
    answer.say("no issues: no rules are declared")
    answer.tabulate(Table("id", "key", "rule", "message"))
    try output.write(answer)
  }
}
