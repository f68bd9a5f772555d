#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve list`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the types, or the entities of one type or of all.",
    discussion: """
      Entities are in creation order unless --order is given, with --all across all types.

      Examples:
        varve list hats.varve
        varve list hats.varve --all --limit 10
        varve list hats.varve Hat --where color=red --where 'size>10'
        varve list hats.varve Hat --order -size --order color --limit 5
        varve list hats.varve Hat --where 'name^=S' --columns name,size
        varve list hats.varve Hat --where 'shop={"entity":"shop-1"}'
        varve list hats.varve Hat --where 'price>{"@field":"cost"}'
        varve list hats.varve Hat --where color=RED --order name --ignore-case
        varve list hats.varve Hat --matching 'red hat*' --in name --in color
        varve list hats.varve Hat --as-of 2018-12-31
        varve list hats.varve Hat --csv
        varve list hats.varve Hat --where color=null --count
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The type; all types are counted by default.") var type: String?
  @OptionGroup var selection: SelectionOptions
  @Flag(help: "Compare and order texts without regard to case.") var ignoreCase = false
  @Option(
    help: ArgumentHelp(
      "List entities with all of these words, the most relevant first.",
      discussion: "word* stands for all words with this prefix, \"two words\" for them in a row. "
        + "The properties must be prepared by varve index --search."
    )
  )
  var matching: String?
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("A key that --matching searches; repeat for further ones.", valueName: "key")
  )
  var searched: [String] = []
  @Option(parsing: .unconditional, help: "The number of entities to skip.") var offset: Int = 0
  @Option(
    help: ArgumentHelp(
      "The keys to show, separated by commas; all by default.",
      discussion: "@type, @datestamp and @modified are the entity's own."
    )
  )
  var columns: String?
  @Flag(help: "Only count.") var count = false
  @Flag(help: "List the entities of all types.") var all = false
  @OptionGroup var naming: NamingOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if offset < 0 { throw UsageError("--offset must not be negative.") }
    if let columns { _ = try ListColumn.list(columns) }
    if (matching == nil) != searched.isEmpty || matching != nil && type == nil {
      throw UsageError("--matching needs a type, and the keys to search by --in.")
    }
    if all, type != nil || !selection.conditions.isEmpty || !selection.orderings.isEmpty {
      throw UsageError("--all cannot be combined with a type, --where or --order.")
    }
    let isSelecting =
      !selection.conditions.isEmpty || !selection.orderings.isEmpty || count
      || selection.limit != nil || offset > 0
    if type == nil, !all, isSelecting {
      throw UsageError("Name a type to list: varve list STORE TYPE.")
    }
  }

  func run() async throws {
    let answer: Answer? = try await file.use(readOnly: true) { store in
      let isStreamed = output.csv && !count && (all || type != nil)
      let isShown = !isStreamed || !Output.isTerminal
      return try await reading.read(store, counting: "entities", isShown: isShown) {
        state,
        progress in
        let notes = try await self.notes(in: state)
        if matching != nil, let type, !(try await isPrepared(EntityType(type), in: state)) {
          return try unprepared(EntityType(type), notes)
        }
        if isStreamed {
          try await writeLines(of: state, progress)
          for note in notes { Output.remark(note.text) }
          return nil
        }
        if all { return try await self.answer(all: state, progress) }
        guard let type else { return Self.answer(types: try await state.types()) }
        let query = query(EntityType(type))
        var answer =
          count
          ? Self.answer(count: try await state.count(query))
          : try self.answer(
            try await Self.fetch(query, from: state, progress),
            try await schema(in: state)
          )
        answer.note(notes)
        return answer
      }
    }
    if let answer { try output.write(answer) }
  }

  /// Returns the query for the entities of a type.
  func query(_ type: EntityType) -> Query {
    let query = selection.query(type, ignoringCase: ignoreCase).offset(offset)
    guard let matching else { return query }
    let isOrdered = !selection.orderings.isEmpty
    return query.matching(matching, in: searchedKeys, byRelevance: !isOrdered)
  }

  private func isPrepared(_ type: EntityType, in state: Snapshot) async throws -> Bool {
    try await state.isSearchable(searchedKeys, of: type)
  }

  /// Returns the empty list for a type or key that never was, and throws for texts that can only be
  /// searched once they are prepared: reading writes nothing.
  private func unprepared(_ type: EntityType, _ notes: [NameNote]) throws -> Answer {
    guard !notes.isEmpty else {
      let words = ["index", file.store, type.text] + searched
      throw VarveError(
        .unsupported,
        "the texts of \"\(type)\" are not prepared for search",
        at: searched.joined(separator: ", "),
        remedy: "Type varve \(words.map(ShellWords.quoted).joined(separator: " ")) --search once."
      )
    }
    var answer = count ? Self.answer(count: 0) : try self.answer([], [])
    answer.note(notes)
    return answer
  }

  /// Returns notes on the names that the command reads.
  private func notes(in state: Snapshot) async throws -> [NameNote] {
    guard let type else { return [] }
    return try await naming.notes(on: names(of: type), in: state, at: file.store)
  }

  /// Returns the types that may be listed, which give the columns their names.
  func schema(in state: Snapshot) async throws -> [TypeSchema] {
    guard let type else { return try await state.schema() }
    return try await state.schema(of: EntityType(type)).map { [$0] } ?? []
  }

  /// Returns the names of the keys of some types, and of others.
  func columnNames(_ schema: [TypeSchema], and keys: some Sequence<PropertyKey>)
    -> SQLNames<PropertyKey>
  {
    SQLNames(
      keys: schema.flatMap { $0.keys.map(\.key) } + keys,
      reserved: all ? ["type"] : []
    )
  }

  /// The names that the command reads.
  private func names(of type: String) throws -> ReadNames {
    let columns = try columns.map { try ListColumn.list($0) } ?? []
    return ReadNames(
      type: EntityType(type),
      keys: selection.orderings.flatMap(\.field.ownKeys) + searchedKeys
        + columns.compactMap(\.key),
      conditions: selection.conditions
    )
  }

  private var searchedKeys: [PropertyKey] { searched.map { PropertyKey($0) } }

  private static func fetch(
    _ query: Query,
    from state: Snapshot,
    _ progress: Progress
  ) async throws -> [StoredEntity] {
    var entities: [StoredEntity] = []
    for try await entity in state.stream(query) {
      entities.append(entity)
      progress.show(entities.count)
    }
    return entities
  }

  /// The number of entities read between two updates of the progress.
  static let partCount = 1_000

  private func answer(all state: Snapshot, _ progress: Progress) async throws -> Answer {
    let ids = Array(try await state.allIDs().dropFirst(offset).prefix(selection.limit ?? .max))
    if count { return Self.answer(count: ids.count) }
    var entities: [StoredEntity] = []
    for start in stride(from: 0, to: ids.count, by: Self.partCount) {
      let part = ids[start..<min(start + Self.partCount, ids.count)]
      entities += try await state.entities(Array(part)).compactMap { $0 }
      progress.show(entities.count, of: ids.count)
    }
    return try answer(entities, try await schema(in: state))
  }

  private static func answer(types: [TypeCount]) -> Answer {
    var answer = Answer(
      .array(types.map { ["type": .string($0.type.text), "count": .count($0.count)] })
    )
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "entities", isNumeric: true),
    ])
    for type in types { table.add(type.type.text, grouped(type.count)) }
    if types.isEmpty { answer.say("no entities") } else { answer.show(table) }
    answer.tabulate(table)
    return answer
  }

  private static func answer(count: Int) -> Answer {
    var answer = Answer(["count": .count(count)])
    answer.say(String(count))
    return answer
  }

  /// - Parameter schema: the types that may be listed, which give the columns their names.
  private func answer(_ entities: [StoredEntity], _ schema: [TypeSchema]) throws -> Answer {
    let names = columnNames(schema, and: entities.flatMap(\.keys))
    var answer = Answer(.array(entities.map(\.json)))
    let shown = try shownColumns(entities)
    let types = all ? [Table.Column(heading: "type")] : []
    var table = Table(
      [Table.Column(heading: "id", isWhole: true)] + types
        + shown.map {
          Table.Column(heading: $0.heading(names), isNumeric: $0.isNumeric(in: entities))
        }
    )
    for entity in entities {
      table.add(
        [entity.id.text] + (all ? [entity.type.text] : []) + shown.map { $0.text(of: entity) }
      )
    }
    if entities.isEmpty {
      let isPart = offset > 0 || selection.limit == 0
      answer.say("no \(type?.printable ?? "entities")\(isPart ? " in this part" : "")")
    } else {
      answer.show(table)
    }
    answer.tabulate(table)
    return answer
  }

  private func shownColumns(_ entities: [StoredEntity]) throws -> [ListColumn] {
    if let columns { return try ListColumn.list(columns) }
    return Set(entities.flatMap(\.keys)).sorted().map { .property($0) }
  }
}
#endif
