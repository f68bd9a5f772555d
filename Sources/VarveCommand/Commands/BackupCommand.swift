#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve backup`
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a store to a new file, and check the copy.",
    discussion: """
      Other processes may write meanwhile; the copy is the store in one state. The file has its \
      name only once the copy is complete and checked. An existing file is never replaced.

      Examples:
        varve backup hats.varve monday.varve
        varve backup hats.varve tuesday.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The new file.", completion: .file()) var target: String
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let report = try await file.use(readOnly: true) { store in
      try await Progress.during("back up", "steps") { progress in
        try await store.backup(to: target) { progress.show($0.done, of: $0.total) }
      }
    }
    var answer = Answer(report.json)
    answer.say(report.summary)
    var table = Table("file", "commits", "blocks", "entities")
    table.add(target, "\(report.commitCount)", "\(report.blockCount)", "\(report.entityCount)")
    answer.tabulate(table)
    try output.write(answer)
  }
}
#endif
