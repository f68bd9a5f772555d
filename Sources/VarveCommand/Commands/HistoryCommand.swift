#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore

/// `varve history`
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show every value an entity or a property ever had, newest first.",
    discussion: """
      Erased entities have a history too. Times are in UTC. In a sealed space, the history also says which \
      device signed each value.

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
  @Flag(help: "Fail if the history has nothing under the key.") var strict = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (limit ?? 0) < 0 { throw UsageError("--limit must not be negative.") }
  }

  func run() async throws {
    let id = try EntityID(id)
    let key = key.map { PropertyKey($0) }
    let (versions, notes, signatures) = try await file.use(readOnly: true) { store in
      let signatures = try await store.sealedSignatures()
      let (versions, notes) = try await reading.read(store) { state in
        let versions = try await state.history(of: id, key, limit: limit)
        guard versions.isEmpty, limit != 0 else { return (versions, [NameNote]()) }
        if try await state.status(of: id) == .unknown { _ = try await state.require(id) }
        let notes = try await self.notes(on: key, of: id, in: state)
        return (versions, try NamingOptions.notes(notes, isStrict: strict, at: file.store))
      }
      return (versions, notes, signatures)
    }
    var answer = Answer(.array(versions.map { $0.json.signed(signatures, $0.commit.id) }))
    if !versions.isEmpty { answer.show(table(versions, signatures)) }
    answer.tabulate(Self.whole(versions, signatures))
    answer.note(notes)
    try output.write(answer)
  }

  private func notes(
    on key: PropertyKey?,
    of id: EntityID,
    in state: Snapshot
  ) async throws -> [NameNote] {
    guard let key else { return [] }
    let versions = try await state.history(of: id)
    let keys = Set(versions.compactMap { $0.content.subject }).sorted()
    let nearest = NearestName.of(key.text, among: keys)
    return [
      NameNote(
        message: "the history of \(id.text.printable) has nothing under the key "
          + "\"\(key.text.printable)\"",
        nearest: nearest.map { "\"\($0.printable)\"" }
      )
    ]
  }

  /// Returns the versions as a table for programs.
  private static func whole(_ versions: [Version], _ signatures: SpaceSignatures?) -> Table {
    let headings = VersionColumns.headings + (signatures == nil ? [] : ["signed by"])
    var table = Table(headings.map { Table.Column(heading: $0) })
    for version in versions {
      let signature = signatures.map { [$0.signature(of: version.commit.id).shown] } ?? []
      table.add(VersionColumns.cells(version) + signature)
    }
    return table
  }

  private func table(_ versions: [Version], _ signatures: SpaceSignatures?) -> Table {
    let showsKey = key == nil
    let signer = signatures == nil ? [] : ["signed by"]
    let headings = (showsKey ? ["key"] : []) + ["value", "author", "message"] + signer
    var table = Table(
      [Table.Column(heading: "time (UTC)", isWhole: true)]
        + headings.map { Table.Column(heading: $0) }
        + [Table.Column(heading: "commit", isWhole: true)]
    )
    for version in versions {
      let content = version.content
      let signature = signatures.map { [$0.signature(of: version.commit.id).shown] } ?? []
      table.add(
        [DateWriter.short(version.time)] + (showsKey ? [content.subject ?? ""] : [])
          + [content.shown, version.commit.shownAuthor, version.commit.message ?? ""]
          + signature + [version.commit.id.description]
      )
    }
    return table
  }
}
#endif
