import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve diff`
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what changed between two states.",
    discussion: """
      A state is a date, a commit of this store (its hash or the first digits of it: the state it
      left), or now. Without a second one, it is now.

      Examples:
        varve diff hats.varve 2018-12-31
        varve diff hats.varve 2018-01-01 2018-12-31
        varve diff hats.varve 1a2b3c4d5e6f now --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The first state.") var from: String
  @Argument(help: "The second state.") var to = "now"
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let difference = try await file.use(readOnly: true) { store in
      try await store.diff(
        from: try await MomentArgument.read(from, in: store),
        to: try await MomentArgument.read(to, in: store)
      )
    }
    var answer = Answer(difference.json)
    for entity in difference.added { say("+", entity, in: &answer) }
    for entity in difference.changed { say("~", entity, in: &answer) }
    for entity in difference.ended { say("-", entity, in: &answer) }
    answer.say(
      difference.isEmpty
        ? "nothing differs"
        : "\(grouped(difference.added.count)) added, \(grouped(difference.changed.count)) changed, "
          + "\(grouped(difference.ended.count)) ended"
    )
    try output.write(answer)
  }

  private func say(_ sign: String, _ entity: EntityDifference, in answer: inout Answer) {
    answer.say("\(sign) \(entity.type.text.printable) \(entity.id.text.printable)")
    for property in entity.properties {
      let old = property.old?.value.shown.printable
      let new = property.new?.value.shown.printable
      let key = property.key.text.printable
      switch (old, new) {
      case (let old?, let new?): answer.say("    \(key): \(old) → \(new)")
      case (nil, let new?): answer.say("    \(key): \(new)")
      case (let old?, nil): answer.say("    \(key): was \(old)")
      case (nil, nil): break
      }
    }
    for connection in entity.related { answer.say("    now \(connection.shown)") }
    for connection in entity.unrelated { answer.say("    no longer \(connection.shown)") }
  }
}

extension Connection {
  fileprivate var shown: String {
    let verb = relation.kind == .owns ? "owns" : "is related to"
    let name = relation.name.text.isEmpty ? "" : " as \(relation.name.text.printable)"
    return "\(verb) \(target.text.printable)\(name)"
  }
}

/// A state, as the command line names it.
enum MomentArgument {
  static func read(_ text: String, in store: Store) async throws -> Moment {
    if text == "now" { return .now }
    if let date = DateReader.read(text) { return .time(try HybridTime(date).endOfMillisecond) }
    return .frontier(Frontier([try await store.commit(named: text).id]))
  }
}
