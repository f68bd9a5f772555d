import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve history`
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show every value an entity or a property ever had, newest first.",
    discussion: """
      Erased entities have a history too. Times are in UTC.

      Examples:
        varve history hats.varve hat-1
        varve history hats.varve hat-1 color --limit 10
        varve history hats.varve hat-1 --as-of 2018-12-31
        varve history hats.varve hat-1 color --json
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The entity's identifier.") var id: String
  @Argument(help: "A property; by default all properties, and creations, erasures and restores.")
  var key: String?
  @Option(parsing: .unconditional, help: "The maximum number of versions.") var limit: Int?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (limit ?? 0) < 0 { throw UsageError("--limit must not be negative.") }
  }

  func run() async throws {
    let id = try EntityID(id)
    let key = key.map { PropertyKey($0) }
    let versions = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        let versions = try await state.history(of: id, key, limit: limit)
        if versions.isEmpty, try await state.status(of: id) == .unknown {
          _ = try await state.require(id)
        }
        return versions
      }
    }
    var answer = Answer(.array(versions.map(\.json)))
    if !versions.isEmpty { answer.show(table(versions)) }
    answer.tabulate(Self.whole(versions))
    try output.write(answer)
  }

  /// Returns the versions as a table for programs.
  private static func whole(_ versions: [Version]) -> Table {
    var table = Table(VersionColumns.headings.map { Table.Column(heading: $0) })
    for version in versions { table.add(VersionColumns.cells(version)) }
    return table
  }

  private func table(_ versions: [Version]) -> Table {
    let showsKey = key == nil
    let headings = (showsKey ? ["key"] : []) + ["value", "author", "message"]
    var table = Table(
      [Table.Column(heading: "time (UTC)", isWhole: true)]
        + headings.map { Table.Column(heading: $0) }
        + [Table.Column(heading: "commit", isWhole: true)]
    )
    for version in versions {
      let content = version.content
      table.add(
        [DateWriter.short(version.time)] + (showsKey ? [content.subject ?? ""] : [])
          + [
            content.shown, version.commit.shownAuthor, version.commit.message ?? "",
            version.commit.id.description,
          ]
      )
    }
    return table
  }
}
