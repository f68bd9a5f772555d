#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve upsert`
struct UpsertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upsert",
    abstract: "Change the entity that has some values, or create it.",
    discussion: """
      The entity is found by its values under the keys of --on. Without one, an entity is created, \
      under --id or a fresh identifier. With --insert, an entity that is found stays unchanged.

      Examples:
        varve upsert hats.varve Hat --on code code=h-7 price:=39
        varve upsert hats.varve Seat --on row --on number row:=1 number:=2
        varve upsert hats.varve Hat --on code --insert --id hat-7 code=h-7
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's type.") var type: String
  @Argument(help: Assignment.help, transform: Assignment.parse) var assignments: [Assignment]
  @Option(help: ArgumentHelp("A key by which the entity is found; repeatable.", valueName: "key"))
  var on: [String]
  @Option(help: "The identifier of a new entity.") var id: String?
  @Flag(help: "Leave an entity that is found unchanged.") var insert = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let wanted = try id.map { try EntityID($0) }
    let keys = on.map { PropertyKey($0) }
    var properties: [PropertyKey: StoredEntity.Property?] = [:]
    for assignment in try assignments.distinct() {
      properties[assignment.key] = .some(try assignment.property)
    }
    let plain = Set(assignments.filter { !$0.isTyped }.map(\.key))
    let type = EntityType(type)
    let (found, commit) = try await file.use { store in
      try await writing.commit(to: store) { transaction -> (EntityID, SaveOutcome)? in
        guard insert else {
          let found = try await transaction.upsert(
            type,
            on: keys,
            id: wanted,
            properties: properties,
            plain: plain
          )
          return (found.id, found.outcome)
        }
        let created = try await transaction.insert(
          type,
          ifAbsent: keys,
          id: wanted,
          properties: properties.compactMapValues { $0 }
        )
        return created.map { ($0, .created) }
      }
    }
    let outcome = found?.1 ?? .unchanged
    var answer = Answer([
      "id": found.map { .string($0.0.text) } ?? .null, "outcome": .string(outcome.rawValue),
      "commit": commit.json,
    ])
    let name = found.map { " \($0.0.text.printable)" } ?? ""
    answer.say("\(outcome.rawValue)\(name)\(commit.shown)")
    try output.write(answer)
  }
}
#endif
