#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve undo`
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo a commit with a new one.",
    discussion: """
      Values that a later commit changed are kept, and listed. The commit stays in the history, \
      and an undo can be undone. varve log lists the commits.

      Examples:
        varve undo hats.varve 1a2b3c4d5e6f
        varve undo hats.varve 1a2b3c4d5e6f --author sam --message 'wrong prices'
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The commit: its hash or the first digits of it.") var commit: String
  @Option(help: "The author; VARVE_AUTHOR by default.")
  var author: String?
  @Option(help: ArgumentHelp("The commit message.", valueName: "text")) var message = ""
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let author = WritingOptions.name(author)
    let report = try await file.use { store in
      let id = try await store.commit(named: commit).id
      return try await store.undo(id, author: author, message: message)
    }
    var answer = Answer(report.json)
    for (what, count) in [
      ("restored", report.restored.count), ("erased", report.erased.count),
    ] where count > 0 {
      answer.say("\(what) \(counted(count, "entity", "entities"))")
    }
    for (what, count) in [
      ("set back", report.properties.count), ("related again", report.related.count),
      ("taken back", report.unrelated.count),
    ] where count > 0 {
      answer.say("\(what): \(grouped(count))")
    }
    for skipped in report.skipped { answer.say("kept \(skipped.shown)") }
    answer.say(report.commit.map { "undone by commit \($0.id)" } ?? "nothing to undo")
    answer.tabulate(report.table)
    try output.write(answer)
  }
}

extension UndoReport {
  /// A table with a row for each change that was undone or skipped.
  fileprivate var table: Table {
    var table = Table("what", "id", "key", "to", "reason")
    for id in restored { table.add("restored", id.text, "", "", "") }
    for id in erased { table.add("erased", id.text, "", "", "") }
    for property in properties {
      table.add("set back", property.entity.text, property.key.text, "", "")
    }
    for edge in related {
      table.add("related again", edge.source.text, edge.relation.name.text, edge.target.text, "")
    }
    for edge in unrelated {
      table.add("taken back", edge.source.text, edge.relation.name.text, edge.target.text, "")
    }
    for skipped in skipped {
      let key = skipped.key?.text ?? skipped.edge?.relation.name.text ?? ""
      let to = skipped.edge?.target.text ?? ""
      table.add("kept", skipped.entity.text, key, to, skipped.reason.rawValue)
    }
    return table
  }
}

extension UndoReport.Skipped {
  fileprivate var shown: String {
    let what = key.map { "\(entity.text.printable) \($0.text.printable)" } ?? entity.text.printable
    switch reason {
    case .changedSince:
      let by = changedBy.map { " by commit \($0.id)" } ?? ""
      return "\(what): changed since\(by)"
    case .notLive: return "\(what): not live"
    case .ownersDead: return "\(what): its owners are erased"
    case .createdAnew: return "\(what): its life before the commit, which re-created it"
    case .compacted: return "\(what): the value before it was compacted"
    case .conflictSettled: return "\(what): its conflict stays settled"
    case .doneByAnother:
      let by = changedBy.map { ", commit \($0.id)" } ?? ""
      return "\(what): another commit did the same\(by)"
    }
  }
}
#endif
