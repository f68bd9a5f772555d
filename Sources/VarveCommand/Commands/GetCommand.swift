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
        let collections = try await collections(of: id, in: state)
        let keys = keys.map { PropertyKey($0) }
        if !keys.isEmpty { return try Self.answer(values: keys, of: entity, collections) }
        return Self.answer(
          entity,
          collections,
          owns: try await state.relatedIDs(id, .owns),
          ownedBy: try await state.relatedIDs(id, .ownedBy),
          free: try await state.relatedIDs(id, .free)
        )
      }
    }
    try output.write(answer)
  }

  /// The elements of to-many properties.
  private typealias Collections = [PropertyKey: [EntityID]]

  private func collections(of id: EntityID, in state: Snapshot) async throws -> Collections {
    var collections: Collections = [:]
    for key in try await state.collectionKeys(of: id) {
      collections[key] = try await state.collection(of: id, key)
    }
    return collections
  }

  private static func answer(
    values keys: [PropertyKey],
    of entity: StoredEntity,
    _ collections: Collections
  ) throws -> Answer {
    for key in keys where entity.property(key) == nil && collections[key] == nil {
      let all = entity.keys + collections.keys.sorted()
      throw VarveError(
        .notFound,
        "the entity has no such property",
        at: "identifier \"\(entity.id)\", key \"\(key)\"",
        remedy: all.isEmpty
          ? "It has none." : "It has \(all.map(\.text).joined(separator: ", "))."
      )
    }
    func json(_ key: PropertyKey) -> JSON {
      entity.property(key)?.json ?? collections[key]?.json ?? .null
    }
    guard keys.count == 1 else {
      var answer = Answer(.object(keys.map { JSON.Member(name: $0.text, value: json($0)) }))
      let shown = table(entity, collections, keys)
      answer.show(shown)
      answer.tabulate(shown)
      return answer
    }
    var answer = Answer(json(keys[0]))
    if let property = entity.property(keys[0]) {
      answer.say(Output.isTerminal ? property.value.shown.printableLines : property.value.shown)
    } else {
      for element in collections[keys[0]] ?? [] { answer.say(element.text.printable) }
    }
    return answer
  }

  private static func answer(
    _ entity: StoredEntity,
    _ collections: Collections,
    owns: [EntityID],
    ownedBy: [EntityID],
    free: [EntityID]
  ) -> Answer {
    guard case .object(let members) = entity.json else { preconditionFailure("is an object") }
    let relations: JSON = ["owns": owns.json, "ownedBy": ownedBy.json, "free": free.json]
    let keys = entity.keys + collections.keys.sorted()
    let lists: JSON = .object(
      collections.sorted { $0.key < $1.key }
        .map { JSON.Member(name: $0.key.text, value: $0.value.json) }
    )
    var answer = Answer(
      .object(
        members + [
          JSON.Member(name: "collections", value: lists),
          JSON.Member(name: "relations", value: relations),
        ]
      )
    )
    answer.say("\(entity.type.text.printable) \(entity.id.text.printable)")
    answer.say(
      "added \(DateWriter.short(entity.datestamp)), changed \(DateWriter.short(entity.modified)) UTC"
    )
    for (word, ids) in [("owns", owns), ("owned by", ownedBy), ("related to", free)]
    where !ids.isEmpty {
      answer.say("\(word) \(ids.shown())")
    }
    if !keys.isEmpty {
      answer.say("")
      answer.show(table(entity, collections, keys))
    }
    answer.tabulate(table(entity, collections, keys))
    return answer
  }

  private static func table(
    _ entity: StoredEntity,
    _ collections: Collections,
    _ keys: [PropertyKey]
  ) -> Table {
    var table = Table("key", "value", "type")
    for key in keys {
      if let property = entity.property(key) {
        table.add(key.text, property.value.shown, property.semanticType)
      } else if let elements = collections[key] {
        table.add(key.text, elements.isEmpty ? "no elements" : elements.shown(), "to-many")
      }
    }
    return table
  }
}
#endif
