import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the entities of a type or of all, or the types there are.",
    discussion: """
      Without an order, entities come in the order of their creation, with --all that of all types.

      Examples:
        varve list hats.varve
        varve list hats.varve --all --limit 10
        varve list hats.varve Hat --where color=red --where 'size>10'
        varve list hats.varve Hat --order -size --order color --limit 5
        varve list hats.varve Hat --where 'name^=S' --columns name,size
        varve list hats.varve Hat --where 'shop={"entity":"shop-1"}'
        varve list hats.varve Hat --as-of 2018-12-31
        varve list hats.varve Hat --csv
        varve list hats.varve Hat --where color=null --count
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The type; without it, all types are counted.") var type: String?
  @Option(
    name: .customLong("where"),
    help: ConditionArgument.help,
    transform: ConditionArgument.parse
  )
  var conditions: [Condition] = []
  @Option(
    name: .customLong("order"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Order by a key, or descending with -key; repeat for ties.",
      valueName: "key"
    ),
    transform: FieldName.parseOrdering
  )
  var orderings: [Query.Ordering] = []
  @Option(help: "At most so many.") var limit: Int?
  @Option(help: "Pass over so many first.") var offset: Int = 0
  @Option(help: "The keys to show, with commas between; all without it.") var columns: String?
  @Flag(help: "Only count.") var count = false
  @Flag(help: "List the entities of all types.") var all = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (limit ?? 0) < 0 || offset < 0 {
      throw ValidationError("--limit and --offset are not negative.")
    }
    if all, type != nil || !conditions.isEmpty || !orderings.isEmpty {
      throw ValidationError("--all takes no type, --where or --order.")
    }
    if type == nil, !all, !conditions.isEmpty || !orderings.isEmpty || count {
      throw ValidationError("Name a type to list: varve list STORE TYPE.")
    }
  }

  func run() async throws {
    let answer = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        if all { return try await self.answer(all: state) }
        guard let type else { return Self.answer(types: try await state.types()) }
        let query = query(EntityType(type))
        if count { return Self.answer(count: try await state.count(query)) }
        return self.answer(try await state.fetch(query))
      }
    }
    try output.write(answer)
  }

  private func query(_ type: EntityType) -> Query {
    var query = Query(type).offset(offset)
    for condition in conditions { query = query.where(condition) }
    for ordering in orderings {
      query = query.order(by: ordering.field, descending: ordering.isDescending)
    }
    return limit.map { query.limit($0) } ?? query
  }

  private func answer(all state: Snapshot) async throws -> Answer {
    let ids = try await state.allIDs().dropFirst(offset).prefix(limit ?? .max)
    if count { return Self.answer(count: ids.count) }
    return answer(try await state.entities(Array(ids)).compactMap { $0 })
  }

  private static func answer(types: [TypeCount]) -> Answer {
    var answer = Answer(
      .array(types.map { ["type": .string($0.type.text), "count": .count($0.count)] })
    )
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "entities", isNumeric: true),
    ])
    for type in types { table.add(type.type.text, grouped(type.count)) }
    if !types.isEmpty { answer.show(table) }
    return answer
  }

  private static func answer(count: Int) -> Answer {
    var answer = Answer(["count": .count(count)])
    answer.say(String(count))
    return answer
  }

  private func answer(_ entities: [Entity]) -> Answer {
    var answer = Answer(.array(entities.map(\.json)))
    let keys = shownKeys(entities)
    let numeric = keys.map { key in
      entities.allSatisfy { entity in
        entity[key].map { $0.kind == .int || $0.kind == .double } ?? true
      }
    }
    let types = all ? [Table.Column(heading: "type")] : []
    var table = Table(
      [Table.Column(heading: "id", isWhole: true)] + types
        + zip(keys, numeric).map { Table.Column(heading: $0.text, isNumeric: $1) }
    )
    for entity in entities {
      table.add(
        [entity.id.text] + (all ? [entity.type.text] : []) + keys.map { entity[$0]?.shown ?? "" }
      )
    }
    if !entities.isEmpty { answer.show(table) }
    answer.tabulate(table)
    return answer
  }

  private func shownKeys(_ entities: [Entity]) -> [PropertyKey] {
    if let columns { return columns.split(separator: ",").map { PropertyKey(String($0)) } }
    return Set(entities.flatMap(\.keys)).sorted()
  }
}
