#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve relate`
struct RelateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relate",
    abstract: "Relate an entity to others.",
    discussion: """
      owns and ownedBy are the two ends of one relation: erasing an owner erases everything only \
      it owns. A free relation has no consequences.

      Examples:
        varve relate hats.varve shop-1 owns hat-1 hat-2
        varve relate hats.varve hat-1 ownedBy shop-1
        varve relate hats.varve hat-1 free hat-2 --named resembles
      """
  )

  @OptionGroup var edge: EdgeArguments
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await edge.write(writing, output, verb: edge.kind.verb) { transaction, from, to in
      try await transaction.relate(from, edge.kind.kind, to, named: edge.relationName)
    }
  }
}

/// `varve unrelate`
struct UnrelateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unrelate",
    abstract: "Remove relations. Owned entities stay alive.",
    discussion: """
      Examples:
        varve unrelate hats.varve shop-1 owns hat-1
        varve unrelate hats.varve hat-1 free hat-2 --named resembles
      """
  )

  @OptionGroup var edge: EdgeArguments
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let verb = "no longer \(edge.kind.verb)"
    let name = edge.named
    let absent = name.isEmpty ? "has no unnamed relation" : "has no relation \(name.printable)"
    let nothing = "\(absent) to"
    try await edge.write(writing, output, verb: verb, ifNothing: nothing) { transaction, from, to in
      try await transaction.unrelate(from, edge.kind.kind, to, named: edge.relationName)
    }
  }
}

/// The relations that a command names.
struct EdgeArguments: ParsableArguments {
  @OptionGroup var file: StoreFile
  @Argument(help: "The identifier of the entity.") var from: String
  @Argument(help: "owns, ownedBy or free.") var kind: RelationKindArgument
  @Argument(help: "The identifiers of the other entities.") var to: [String]
  @Option(help: "The relation's name.") var named = ""

  /// The relation's name; empty if there is none.
  var relationName: PropertyKey { PropertyKey(named) }

  /// Writes all of them in one commit and prints the result.
  ///
  /// - Parameters:
  ///   - verb: what is true of the entities once it is written.
  ///   - absence: what is true of them if there was nothing to write; nil for the same.
  func write(
    _ writing: WritingOptions,
    _ output: OutputOptions,
    verb: String,
    ifNothing absence: String? = nil,
    _ change: (WriteTransaction, EntityID, EntityID) async throws -> Void
  ) async throws {
    let source = try EntityID(from)
    let targets = try to.map { try EntityID($0) }
    let (_, commit) = try await file.use { store in
      try await writing.commit(to: store) { transaction in
        for target in targets { try await change(transaction, source, target) }
      }
    }
    var answer = Answer([
      "from": .string(source.text), "kind": .string(kind.text), "to": targets.json,
      "named": .string(named), "commit": commit.json,
    ])
    let outcome = commit == nil ? absence ?? verb : verb
    answer.say("\(source.text.printable) \(outcome) \(targets.shown())\(commit.shown)")
    try output.write(answer)
  }
}
#endif
