#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve update`
struct UpdateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Write properties of all entities that satisfy conditions.",
    discussion: """
      Unchanged values are not written. All changes are one commit, and each value keeps its history.

      Examples:
        varve update hats.varve Hat --where 'size>10' size:=10
        varve update hats.varve Hat sold:=false --author sam --message 'new season'
        varve update hats.varve Hat --order -size --limit 5 color=crimson
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The type of the entities.") var type: String
  @Argument(help: Assignment.help, transform: Assignment.parse) var assignments: [Assignment]
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var naming: NamingOptions
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let query = selection.query(EntityType(type))
    var plain: [PropertyKey: Value?] = [:]
    var typed: [PropertyKey: StoredEntity.Property?] = [:]
    for assignment in try assignments.distinct() {
      let property = try assignment.property
      plain[assignment.key] = nil
      typed[assignment.key] = nil
      if assignment.isTyped {
        typed[assignment.key] = .some(property)
      } else {
        plain[assignment.key] = .some(property?.value)
      }
    }
    let (count, commit, notes) = try await file.use { store in
      let names = selection.names(of: EntityType(type))
      let notes = try await naming.notes(on: names, in: store, at: file.store)
      let (count, commit) = try await writing.commit(to: store) { transaction in
        try await transaction.update(query, plain: plain, typed: typed, at: nil)
      }
      return (count, commit, notes)
    }
    var answer = Answer(["changed": .count(count), "commit": commit.json])
    answer.say("changed \(counted(count, "entity", "entities"))\(commit.shown)")
    answer.note(notes)
    try output.write(answer)
  }
}
#endif
