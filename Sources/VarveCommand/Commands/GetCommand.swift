#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve get`
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Show an entity or some of its values.",
    discussion: """
      Examples:
        varve get hats.varve hat-1
        varve get hats.varve hat-1 color
        varve get hats.varve hat-1 color size --as-of 2018-12-31
        varve get hats.varve hat-1 --as-of 2018-12-31
        varve get hats.varve hat-1 --as-of 1a2b3c4d5e6f
        varve get hats.varve hat-1 --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Argument(
    help: ArgumentHelp(
      "Properties to show; the value of a single one is printed alone.",
      valueName: "key"
    )
  )
  var keys: [String] = []
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let id = try EntityID(id)
    let answer = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        let entity = try await state.require(id)
        let keys = keys.map { PropertyKey($0) }
        if !keys.isEmpty { return try Self.answer(values: keys, of: entity) }
        return Self.answer(
          entity,
          owns: try await state.relatedIDs(id, .owns),
          ownedBy: try await state.relatedIDs(id, .ownedBy),
          free: try await state.relatedIDs(id, .free)
        )
      }
    }
    try output.write(answer)
  }

  private static func answer(values keys: [PropertyKey], of entity: StoredEntity) throws -> Answer {
    let properties = try keys.map { try property($0, of: entity) }
    guard properties.count == 1 else {
      var answer = Answer(
        .object(zip(keys, properties).map { JSON.Member(name: $0.text, value: $1.json) })
      )
      let shown = table(entity, keys)
      answer.show(shown)
      answer.tabulate(shown)
      return answer
    }
    let only = properties[0]
    var answer = Answer(only.json)
    answer.say(only.value.shown)
    return answer
  }

  private static func property(
    _ key: PropertyKey,
    of entity: StoredEntity
  ) throws -> StoredEntity.Property {
    guard let property = entity.property(key) else {
      throw VarveError(
        .notFound,
        "the entity has no such property",
        at: "identifier \"\(entity.id)\", key \"\(key)\"",
        remedy: entity.keys.isEmpty
          ? "It has none." : "It has \(entity.keys.map(\.text).joined(separator: ", "))."
      )
    }
    return property
  }

  private static func answer(
    _ entity: StoredEntity,
    owns: [EntityID],
    ownedBy: [EntityID],
    free: [EntityID]
  ) -> Answer {
    guard case .object(let members) = entity.json else { preconditionFailure("is an object") }
    let relations: JSON = ["owns": owns.json, "ownedBy": ownedBy.json, "free": free.json]
    var answer = Answer(
      .object(members + [JSON.Member(name: "relations", value: relations)])
    )
    answer.say("\(entity.type.text.printable) \(entity.id.text.printable)")
    answer.say(
      "added \(DateWriter.short(entity.datestamp)), changed \(DateWriter.short(entity.modified)) UTC"
    )
    for (word, ids) in [("owns", owns), ("owned by", ownedBy), ("related to", free)]
    where !ids.isEmpty {
      answer.say("\(word) \(ids.shown())")
    }
    if !entity.keys.isEmpty {
      answer.say("")
      answer.show(table(entity, entity.keys))
    }
    answer.tabulate(table(entity, entity.keys))
    return answer
  }

  private static func table(_ entity: StoredEntity, _ keys: [PropertyKey]) -> Table {
    var table = Table("key", "value", "type")
    for key in keys {
      guard let property = entity.property(key) else { continue }
      table.add(key.text, property.value.shown, property.semanticType)
    }
    return table
  }
}
#endif
