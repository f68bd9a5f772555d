#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve set`
struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Write properties of an entity; unchanged values are not written.",
    discussion: """
      With --type, the entity is created if it never existed. With --expecting, nothing is \
      written unless the entity has the values (null for none).

      Examples:
        varve set hats.varve hat-1 --type Hat color=red
        varve set hats.varve hat-1 size:=12 sold:=true price:='{"double":40}'
        varve set hats.varve hat-1 bought:='{"date":"2018-12-08"}'
        varve set hats.varve hat-1 shop:='{"entity":"shop-1"}'
        varve set hats.varve hat-1 color:=null
        varve set hats.varve hat-1 color=blue --author ana --message repainted
        varve set hats.varve hat-1 color=blue --at 2024-05-01
        varve set hats.varve hat-1 size:=13 --expecting size:=12
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Argument(help: Assignment.help, transform: Assignment.parse) var assignments: [Assignment] = []
  @Option(help: "The type, if the entity must be created.") var type: String?
  @Option(
    name: .customLong("expecting"),
    help: ArgumentHelp(
      "A value that the entity, which must exist, has: key=text or key:=JSON; repeatable.",
      valueName: "key=value"
    ),
    transform: Assignment.parse
  )
  var expectations: [Assignment] = []
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if assignments.isEmpty, type == nil {
      throw UsageError("Write at least one key=value, or a --type.")
    }
  }

  func run() async throws {
    let id = try EntityID(id)
    let changes = try Changes(assignments.distinct())
    var expected: [PropertyKey: Value?] = [:]
    var types: [PropertyKey: String] = [:]
    for expectation in expectations {
      let property = try expectation.property
      expected[expectation.key] = .some(property?.value)
      types[expectation.key] = expectation.isTyped ? property?.semanticType : nil
    }
    let (outcome, commit) = try await file.use { store in
      try await writing.commit(to: store) { [expected, types] transaction in
        if !expected.isEmpty {
          try await transaction.expect(expected, semanticTypes: types, of: id)
        }
        return try await changes.write(to: id, type: type.map { EntityType($0) }, in: transaction)
      }
    }
    var answer = Answer([
      "id": .string(id.text), "outcome": .string(outcome.rawValue), "commit": commit.json,
    ])
    answer.say("\(outcome.rawValue) \(id.text.printable)\(commit.shown)")
    try output.write(answer)
  }
}

/// The assignments of the command line, by the way they are compared with present values.
private struct Changes {
  private var values: [PropertyKey: Value] = [:]
  private var typed: [PropertyKey: StoredEntity.Property?] = [:]
  private var removals: [PropertyKey: Value?] = [:]

  init(_ assignments: [Assignment]) throws {
    for assignment in assignments {
      let (key, property) = (assignment.key, try assignment.property)
      values[key] = nil
      typed[key] = nil
      removals[key] = nil
      if let property, assignment.isTyped {
        typed[key] = .some(property)
      } else if let property {
        values[key] = property.value
      } else {
        removals[key] = .some(nil)
      }
    }
  }

  func write(
    to id: EntityID,
    type: EntityType?,
    in transaction: WriteTransaction
  ) async throws -> SaveOutcome {
    var outcome = SaveOutcome.unchanged
    if let type {
      outcome = try await transaction.save(type, id: id, values)
    } else if try await transaction.update(id, values.mapValues(Optional.some)) {
      outcome = .changed
    }
    let hasRemoved = try await transaction.update(id, removals)
    let hasTyped = try await transaction.update(id, properties: typed)
    return outcome == .unchanged && (hasRemoved || hasTyped) ? .changed : outcome
  }
}
#endif
