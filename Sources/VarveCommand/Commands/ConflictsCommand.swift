#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve conflicts`
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List conflicts between copies: concurrent values and unseen deaths.",
    discussion: """
      The first value of a property is the present one; the others stay in the history. Writing \
      the property again settles its conflict. For an entity that died unseen, the first line \
      names the erased entities it died with, and the others list what was written to it; \
      restoring it settles the conflict. A past state lists values only.

      Examples:
        varve conflicts hats.varve
        varve conflicts hats.varve --as-of 2024-05-01
        varve conflicts hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let conflicts = try await file.use(readOnly: true) { store in
      let moment = try await reading.asOf.moment(in: store)
      return try await store.asOf(moment).conflicts()
    }
    var answer = Answer(.array(conflicts.map(\.json)))
    if conflicts.isEmpty { answer.say("no conflicts") } else { answer.show(Self.table(conflicts)) }
    answer.tabulate(Self.whole(conflicts))
    try output.write(answer)
  }

  private static func table(_ conflicts: [Conflict]) -> Table {
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
          version.author ?? "",
          version.commit.id.description
        )
      }
    }
    return table
  }

  /// Returns the conflicts as a table for programs: one row per version, and for a death one row
  /// per entity that died with it.
  private static func whole(_ conflicts: [Conflict]) -> Table {
    var table = Table(
      (["conflict", "id"] + VersionColumns.headings).map { Table.Column(heading: $0) }
    )
    for conflict in conflicts {
      let name = [conflict.kind.rawValue, conflict.entity.text]
      if conflict.kind == .death {
        table.add(name + VersionColumns.cells(change: "died", value: conflict.erased.json.text))
      }
      for version in conflict.versions { table.add(name + VersionColumns.cells(version)) }
    }
    return table
  }
}
#endif
