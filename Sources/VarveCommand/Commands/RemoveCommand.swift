#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve remove`
struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove properties of an entity; their history stays.",
    discussion: """
      Missing properties are ignored.

      Examples:
        varve remove hats.varve hat-1 color
        varve remove hats.varve hat-1 color size --author sam
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Argument(help: "The properties.") var keys: [String]
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let id = try EntityID(id)
    let (_, commit) = try await file.use { store in
      try await writing.commit(to: store) { transaction in
        for key in keys { try await transaction.remove(id, PropertyKey(key)) }
      }
    }
    var answer = Answer(["id": .string(id.text), "commit": commit.json])
    answer.say("\(commit == nil ? "unchanged" : "changed") \(id.text.printable)\(commit.shown)")
    try output.write(answer)
  }
}
#endif
