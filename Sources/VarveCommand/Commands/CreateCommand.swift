#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve create`
struct CreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create an entity and print its identifier.",
    discussion: """
      Without --id, the entity gets a fresh identifier. An identifier that was erased gets a new \
      entity without the former properties; its history continues.

      Examples:
        varve create hats.varve Hat color=red size:=12
        varve create hats.varve Hat --id hat-7 color=red --author sam
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's type.") var type: String
  @Argument(help: Assignment.help, transform: Assignment.parse) var assignments: [Assignment] = []
  @Option(help: "The entity's identifier.") var id: String?
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let wanted = try id.map { try EntityID($0) }
    let given = try assignments.distinct().compactMap { assignment in
      try assignment.property.map { (assignment.key, $0) }
    }
    let properties = Dictionary(given, uniquingKeysWith: { _, last in last })
    let created = try await file.use { store in
      try await writing.commit(to: store) { transaction in
        try await transaction.create(EntityType(type), id: wanted, properties: properties)
      }
    }
    let id = created.result
    var answer = Answer(["id": .string(id.text), "commit": created.commit.json])
    answer.say(id.text.printable)
    try output.write(answer)
  }
}
#endif
