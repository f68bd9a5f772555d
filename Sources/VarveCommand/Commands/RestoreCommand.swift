#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve restore`
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore an erased entity, with everything that was erased with it.",
    discussion: """
      If all its owners are erased, choose whether they are restored too (--with-owners) or the \
      entity is restored alone (--as-root).

      Examples:
        varve restore hats.varve shop-1
        varve restore hats.varve hat-1 --with-owners --author sam
        varve restore hats.varve hat-1 --as-root
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Flag(help: "Restore an owner too, nearest first, until it lives.")
  var withOwners = false
  @Flag(help: "Restore it without its erased owners.") var asRoot = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if withOwners, asRoot { throw UsageError("Use --with-owners or --as-root, not both.") }
  }

  func run() async throws {
    let id = try EntityID(id)
    let mode: RestoreMode = withOwners ? .withOwners : (asRoot ? .asRoot : .ifOwned)
    let (revived, commit) = try await file.use { store in
      try await writing.commit(to: store) { transaction in
        try await transaction.restore(id, mode)
      }
    }
    var answer = Answer(["restored": revived.json, "commit": commit.json])
    answer.say(
      revived.isEmpty
        ? "nothing to restore: \(id.text.printable) is live"
        : "restored \(counted(revived.count, "entity", "entities"))\(commit.shown): "
          + revived.shown()
    )
    try output.write(answer)
  }
}
#endif
