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

      The copy of an encrypted store has the same key. With --encrypt it has another one, of \
      VARVE_NEW_KEY, --new-key-file or typed; with --plain it has none. This is how a plain store \
      becomes an encrypted one, and the reverse.

      Examples:
        varve backup hats.varve monday.varve
        varve backup hats.varve tuesday.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The new file.", completion: .file()) var target: String
  @Flag(help: "Encrypt the copy with a key of its own.") var encrypt = false
  @Flag(help: "Do not encrypt the copy.") var plain = false
  @OptionGroup var newKey: NewKeyOption
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !(plain && encrypt) else { throw UsageError("--plain and --encrypt exclude each other.") }
    guard encrypt || newKey.newKeyFile == nil else {
      throw UsageError("--new-key-file goes with --encrypt.")
    }
  }

  func run() async throws {
    let encryption: BackupEncryption =
      if encrypt { .key(try StoreKeys.newKey(newKey)) } else if plain { .plain } else { .asStore }
    let report = try await file.use(readOnly: true) { store in
      try await Progress.during("back up", "steps") { progress in
        try await store.backup(to: target, encryption: encryption) {
          progress.show($0.done, of: $0.total)
        }
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
