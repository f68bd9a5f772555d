import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve conflicts`
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List what copies did apart: values, and deaths nobody saw.",
    discussion: """
      Of a property the first value holds; nothing is lost, and writing it again settles it. Of an \
      entity that died unseen, the first line says what it died with, the others what was written \
      to it; restoring it settles it.

      Examples:
        varve conflicts hats.varve
        varve conflicts hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let conflicts = try await file.use(readOnly: true) { try await $0.conflicts() }
    var answer = Answer(.array(conflicts.map(\.json)))
    var table = Table("id", "key", "value", "author", "commit")
    for conflict in conflicts {
      if conflict.kind == .death {
        let cause = "died with \(conflict.erased.shown())"
        table.add(conflict.entity.text, "", cause, "", "")
      }
      for version in conflict.versions {
        table.add(
          conflict.entity.text,
          version.content.subject ?? "",
          version.content.shown,
          version.author,
          version.commit.id.description
        )
      }
    }
    if conflicts.isEmpty { answer.say("no conflicts") } else { answer.show(table) }
    try output.write(answer)
  }
}

/// `varve issues`
struct IssuesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "issues",
    abstract: "List what is against declared rules.",
    discussion: """
      No rules can be declared yet, so there is nothing to be against: the list is empty.

      Example:
        varve issues hats.varve
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await file.use(readOnly: true) { _ in }
    var answer = Answer([])
    answer.say("no issues: no rules are declared")
    try output.write(answer)
  }
}
