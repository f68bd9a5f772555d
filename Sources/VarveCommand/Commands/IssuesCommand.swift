#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve issues`
struct IssuesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issues",
    abstract: "List inconsistencies that a merge may leave.",
    discussion: """
      Lists entities that own each other while no entity outside owns any of them; references \
      whose edges name other entities (the entity, then what the edges name); for each \
      --unique, entities of a type with the same values; and, for each --list and all lists of \
      --mapping, targets that several copies added to a list before they synchronised (the \
      entity, then the target). varve resolve settles all four. Exits with 0 even if there are \
      issues.

      Examples:
        varve issues hats.varve
        varve issues hats.varve --unique Hat.color --unique Hat.color,size
        varve issues hats.varve --list Book.authors
        varve issues hats.varve --as-of 2024-05-01 --json
      """
  )

  @OptionGroup var file: StoreFile
  @Option(
    help: ArgumentHelp(
      "A type and keys whose values must be unique together; may be repeated.",
      valueName: "Type.key[,key]"
    ),
    transform: UniqueArgument.parse
  )
  var unique: [UniqueArgument] = []
  @Option(
    help: ArgumentHelp("A list to examine; may be repeated.", valueName: "Type.key"),
    transform: ListArgument.parse
  )
  var list: [ListArgument] = []
  @Option(
    help: ArgumentHelp("Examine the lists of a mapping file.", valueName: "file"),
    completion: .file()
  )
  var mapping: String?
  @OptionGroup var naming: NamingOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let lists = try list + mappedLists()
    let (issues, notes) = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        var (issues, notes) = ([StoreIssue](), [NameNote]())
        for unique in unique {
          let names = ReadNames(type: unique.type, keys: unique.keys)
          notes += try await naming.notes(on: names, in: state, at: file.store)
          issues += try await state.duplicates(of: unique.type, keys: unique.keys)
            .map { .duplicate($0) }
        }
        for list in lists {
          let names = ReadNames(type: list.type, keys: [list.key])
          notes += try await naming.notes(on: names, in: state, at: file.store)
          issues += try await state.repetitions(of: list.type, key: list.key)
            .map { .repetition($0) }
        }
        issues += try await state.ownerlessCycles().map { .ownerlessCycle($0) }
        return (issues + (try await state.disagreements().map { .disagreement($0) }), notes)
      }
    }
    var answer = Answer(.array(issues.map(\.json)))
    if issues.isEmpty { answer.say("no issues") } else { answer.show(Self.table(issues)) }
    answer.tabulate(Self.table(issues))
    answer.note(notes)
    try output.write(answer)
  }

  /// Returns the lists of the mapping file, each once.
  private func mappedLists() throws -> [ListArgument] {
    guard let mapping else { return [] }
    let mappings = try MappingArgument.read(mapping, as: nil, at: nil, keyedBy: nil)
    var lists: [ListArgument] = []
    for mapping in mappings.names.compactMap({ mappings[$0] }) {
      for relation in mapping.relations where relation.many == .list {
        let one = ListArgument(type: mapping.entity, key: relation.key)
        if !(list + lists).contains(one) { lists.append(one) }
      }
    }
    return lists
  }

  private static func table(_ issues: [StoreIssue]) -> Table {
    var table = Table("issue", "type", "keys", "values", "entities")
    for issue in issues {
      switch issue {
      case .duplicate(let double):
        table.add(
          "duplicate",
          double.type.text,
          double.keys.map(\.text).joined(separator: ","),
          double.values.map { $0?.shown ?? "" }.joined(separator: ","),
          double.entities.shown()
        )
      case .ownerlessCycle(let cycle):
        table.add("ownerless cycle", "", "", "", cycle.members.shown())
      case .disagreement(let disagreement):
        table.add(
          "disagreement",
          "",
          disagreement.key.text,
          disagreement.reference?.text ?? "",
          ([disagreement.entity] + disagreement.related).shown()
        )
      case .repetition(let repetition):
        table.add(
          "repetition",
          "",
          repetition.key.text,
          "\(repetition.count) instead of \(repetition.meantCount)",
          [repetition.entity, repetition.target].shown()
        )
      case .broken, .unreadable, .unknownKey: break
      }
    }
    return table
  }
}

/// A type and keys of it, as `Type.key,key`.
struct UniqueArgument: Sendable {
  let type: EntityType
  let keys: [PropertyKey]

  @Sendable static func parse(_ text: String) throws -> UniqueArgument {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let keys = parts.count == 2 ? parts[1].split(separator: ",") : []
    guard !parts[0].isEmpty, !keys.isEmpty else {
      throw UsageError("write unique keys as Type.key or Type.key,key, not \(text.printable)")
    }
    return UniqueArgument(
      type: EntityType(String(parts[0])),
      keys: keys.map { PropertyKey(String($0)) }
    )
  }
}

/// A list of a type, as `Type.key`.
struct ListArgument: Hashable, Sendable {
  let type: EntityType
  let key: PropertyKey

  @Sendable static func parse(_ text: String) throws -> ListArgument {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2 else {
      throw UsageError("write a list as Type.key, not \(text.printable)")
    }
    return ListArgument(type: EntityType(parts[0]), key: PropertyKey(parts[1]))
  }
}
#endif
