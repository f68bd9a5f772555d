#if CommandLine
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
      A state is a date, a commit (its hash or the first digits of it, for what its author had \
      seen), a frontier as varve stats --json prints it, or now. The second state is now by \
      default. A line begins with + for an added entity, ~ for a changed one, and - for one that \
      ended.

      Examples:
        varve diff hats.varve 2018-12-31
        varve diff hats.varve 2018-01-01 2018-12-31
        varve diff hats.varve 1a2b3c4d5e6f now --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The first state.", transform: MomentName.parse) var from: MomentName
  @Argument(help: "The second state.", transform: MomentName.parse) var to = MomentName.now
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let whole = try await file.use(readOnly: true) { store in
      let (old, new) = (try await from.moment(in: store), try await to.moment(in: store))
      return try await Progress.during("diff", "") { _ in
        try await store.diff(from: old, to: new)
      }
    }
    var answer = Answer(whole.json)
    let difference = whole.withoutDead
    for entity in difference.added { say("+", entity, in: &answer) }
    for entity in difference.changed { say("~", entity, in: &answer) }
    for entity in difference.ended { say("-", entity, in: &answer) }
    answer.say(
      difference.isEmpty
        ? "nothing differs"
        : "\(grouped(difference.added.count)) added, \(grouped(difference.changed.count)) changed, "
          + "\(grouped(difference.ended.count)) ended"
    )
    answer.tabulate(Self.table(difference))
    try output.write(answer)
  }

  private static func table(_ difference: Difference) -> Table {
    var table = Table("change", "type", "id", "key", "old", "new")
    for (change, entities) in [
      ("added", difference.added), ("changed", difference.changed), ("ended", difference.ended),
    ] {
      for entity in entities { add(entity, change, to: &table) }
    }
    return table
  }

  /// Adds a row for each property and relation that differs, or one for the entity if none does.
  private static func add(_ entity: EntityDifference, _ change: String, to table: inout Table) {
    let name = [change, entity.type.text, entity.id.text]
    if let dates = entity.datestamp {
      table.add(name + ["@datestamp", "\(dates.old)", "\(dates.new)"])
    }
    for property in entity.properties {
      let (old, new) = (property.old?.value.shown ?? "", property.new?.value.shown ?? "")
      table.add(name + [property.key.text, old, new])
    }
    for collection in entity.collections {
      table.add(
        name + [collection.key.text, collection.old?.shown() ?? "", collection.new?.shown() ?? ""]
      )
    }
    for connection in entity.unrelated { table.add(name + ["", connection.shown, ""]) }
    for connection in entity.related { table.add(name + ["", "", connection.shown]) }
    if entity.isEmpty {
      table.add(name + ["", "", ""])
    }
  }

  private func say(_ sign: String, _ entity: EntityDifference, in answer: inout Answer) {
    answer.say("\(sign) \(entity.type.text.printable) \(entity.id.text.printable)")
    if let former = entity.formerType {
      say("type", former.text.printable, entity.type.text.printable, in: &answer)
    }
    if let dates = entity.datestamp { say("created", "\(dates.old)", "\(dates.new)", in: &answer) }
    for property in entity.properties {
      let old = property.old?.value.shown.printable
      let new = property.new?.value.shown.printable
      let key = property.key.text.printable
      say(key, old, new, in: &answer)
    }
    for collection in entity.collections {
      let (old, new) = (collection.old?.shown(), collection.new?.shown())
      say(collection.key.text.printable, old, new, in: &answer)
    }
    for connection in entity.related { answer.say("    now \(connection.shown)") }
    for connection in entity.unrelated { answer.say("    no longer \(connection.shown)") }
  }

  private func say(_ key: String, _ old: String?, _ new: String?, in answer: inout Answer) {
    switch (old, new) {
    case (let old?, let new?): answer.say("    \(key): \(old) → \(new)")
    case (nil, let new?): answer.say("    \(key): \(new)")
    case (let old?, nil): answer.say("    \(key): was \(old)")
    case (nil, nil): break
    }
  }
}

extension Connection {
  fileprivate var shown: String {
    let verb = relation.kind == .owns ? "owns" : "is related to"
    let name = relation.name.text.isEmpty ? "" : " as \(relation.name.text.printable)"
    return "\(verb) \(target.text.printable)\(name)"
  }
}
#endif
