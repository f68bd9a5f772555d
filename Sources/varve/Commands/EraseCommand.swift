import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve erase`
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase entities and what they alone own.",
    discussion: """
      Nothing is lost: history and past dates still show them, and restore brings them back.

      Examples:
        varve erase hats.varve hat-1
        varve erase hats.varve shop-1 shop-2 --author sam --message closed
        varve erase hats.varve hat-1 --strict
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The identifiers.") var ids: [String]
  @Flag(help: "Fail where one of them is unknown or already erased.") var strict = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let ids = try ids.map { try EntityID($0) }
    let (died, commit) = try await file.use { store in
      try await writing.commit(to: store) { transaction in
        try await transaction.erase(ids, strict: strict)
      }
    }
    var answer = Answer(["erased": died.json, "commit": commit.json])
    answer.say(
      died.isEmpty
        ? "nothing to erase"
        : "erased \(counted(died.count, "entity", "entities"))\(commit.shown): \(died.shown())"
    )
    try output.write(answer)
  }
}
