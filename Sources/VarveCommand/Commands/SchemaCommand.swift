#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve schema`
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Show the types and keys that entities have had, and their names in SQL.",
    discussion: """
      SQL, lists and exports use the same names. A name is the type or the key itself, unless SQL \
      cannot hold it or tell it from another: SQL does not distinguish the case of ASCII letters, \
      and id, @datestamp and @modified are the entity's own. Such a name gets a number, as in \
      id_2. The names are shown as SQL writes them: in quotes, unless they are plain.

      Examples:
        varve schema hats.varve
        varve schema hats.varve Hat
        varve schema hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The type whose keys are shown; all types by default.") var type: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var naming: NamingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let answer = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        guard let type = type.map({ EntityType($0) }) else {
          return Self.answer(try await state.schema())
        }
        let names = ReadNames(type: type)
        let notes = try await naming.notes(on: names, in: state, at: file.store)
        var answer = Self.answer(try await state.schema(of: type), type)
        answer.note(notes)
        return answer
      }
    }
    try output.write(answer)
  }

  private static func answer(_ types: [TypeSchema]) -> Answer {
    var answer = Answer(.array(types.map(\.json)))
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "in SQL", isWhole: true),
      Table.Column(heading: "keys", isNumeric: true),
    ])
    for type in types { table.add(type.type.text, type.name.identifier, grouped(type.keys.count)) }
    if types.isEmpty { answer.say("no types") } else { answer.show(table) }
    answer.tabulate(table)
    for type in types where !type.name.isSame(as: type.type.text) {
      answer.say(
        "SQL cannot name \"\(type.type.text.printable)\" so: \(type.name.identifier.printable)"
      )
    }
    return answer
  }

  private static func answer(_ type: TypeSchema?, _ name: EntityType) -> Answer {
    var answer = Answer(type?.json ?? .null)
    var table = Table([
      Table.Column(heading: "key"), Table.Column(heading: "in SQL", isWhole: true),
      Table.Column(heading: "values"), Table.Column(heading: "index"),
    ])
    for key in type?.keys ?? [] {
      let values = key.mayHaveOthers ? "\(key.kind.words), others" : key.kind.words
      table.add(key.key.text, key.name.identifier, values, key.isIndexed ? "yes" : "")
    }
    answer.tabulate(table)
    guard let type else {
      answer.say("no \(name.text.printable)")
      return answer
    }
    answer.say("\(type.type.text.printable) is \(type.name.identifier.printable) in SQL")
    if type.keys.isEmpty { answer.say("no keys") } else { answer.show(table) }
    for key in type.keys where !key.name.isSame(as: key.key.text) {
      answer.say(
        "SQL cannot name \"\(key.key.text.printable)\" so: \(key.name.identifier.printable)"
      )
    }
    return answer
  }
}

extension TypeSchema {
  /// The type and its keys as JSON.
  fileprivate var json: JSON {
    ["type": .string(type.text), "name": .string(name), "keys": .array(keys.map(\.json))]
  }
}

extension KeySchema {
  fileprivate var json: JSON {
    [
      "key": .string(key.text), "name": .string(name), "values": .string(kind.words),
      "others": .bool(mayHaveOthers), "index": .bool(isIndexed),
    ]
  }
}
#endif
