#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve erase`
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase entities and everything only they own.",
    discussion: """
      Nothing is lost: the history and past states still have the entities, and restore brings \
      them back.

      Examples:
        varve erase hats.varve hat-1
        varve erase hats.varve shop-1 shop-2 --author sam --message closed
        varve erase hats.varve hat-1 --strict
        varve erase hats.varve shop-1 --dry-run
        varve erase hats.varve --type Hat --where 'size<5'
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The identifiers.") var ids: [String] = []
  @Option(help: "Erase the entities of the type that satisfy --where instead.") var type: String?
  @OptionGroup var selection: SelectionOptions
  @Flag(
    help:
      "Fail if one of them is unknown or already erased, or if no entity has had the type or a key."
  )
  var strict = false
  @Flag(help: "Only list what would be erased, and why.") var dryRun = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if type == nil, ids.isEmpty { throw UsageError("Name at least one entity, or a --type.") }
    if type != nil, !ids.isEmpty {
      throw UsageError("--type cannot be combined with identifiers.")
    }
    if type == nil, !selection.isEmpty {
      throw UsageError("--where, --order and --limit need a --type.")
    }
  }

  func run() async throws {
    let ids = try ids.map { try EntityID($0) }
    let query = type.map { selection.query(EntityType($0)) }
    if dryRun { return try await preview(ids, query) }
    let (died, commit, notes) = try await file.use { store in
      let notes = try await self.notes(in: store)
      let (died, commit) = try await writing.commit(to: store) { transaction in
        if let query { return try await transaction.erase(query) }
        return try await transaction.erase(ids, strict: strict)
      }
      return (died, commit, notes)
    }
    var answer = Answer(["erased": died.json, "commit": commit.json])
    answer.say(
      died.isEmpty
        ? "nothing to erase"
        : "erased \(counted(died.count, "entity", "entities"))\(commit.shown): \(died.shown())"
    )
    answer.note(notes)
    try output.write(answer)
  }

  private func notes(in store: Store) async throws -> [NameNote] {
    guard let type else { return [] }
    let notes = try await selection.names(of: EntityType(type)).notes(in: store)
    return try NamingOptions.notes(notes, isStrict: strict, at: file.store)
  }

  private func preview(_ ids: [EntityID], _ query: Query?) async throws {
    let (preview, notes) = try await file.use(readOnly: true) { store in
      let notes = try await self.notes(in: store)
      var ids = ids
      if let query { ids = try await store.fetch(query).map(\.id) }
      return (try await store.previewErasure(of: ids, strict: strict), notes)
    }
    var answer = Answer(preview.json)
    answer.note(notes)
    guard !preview.deaths.isEmpty else {
      answer.say("nothing to erase")
      return try output.write(answer)
    }
    var table = Table("id", "type", "fate", "because")
    for death in preview.deaths {
      let cause = death.isNamed ? "named" : "owned by \(death.owners.shown())"
      table.add(death.id.text, death.type.text, "dies", cause)
    }
    for survivor in preview.survivors {
      let cause = "owned by \(survivor.owners.shown())"
      table.add(survivor.id.text, survivor.type.text, "lives", cause)
    }
    answer.show(table)
    answer.say("would erase \(counted(preview.deaths.count, "entity", "entities"))")
    try output.write(answer)
  }
}
#endif
