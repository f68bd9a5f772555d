#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve rebuild`
struct RebuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Drop everything derived from the log and derive it again.",
    discussion: """
      The log itself is not changed.

      Example:
        varve rebuild hats.varve
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await file.use { store in
      try await Progress.during("rebuild", "commits") { progress in
        try await store.rebuild { progress.show($0.commitCount, of: $0.totalCount) }
      }
    }
    var answer = Answer(["rebuilt": true])
    answer.say("rebuilt \(file.store.printable) from its log")
    try output.write(answer)
  }
}
#endif
