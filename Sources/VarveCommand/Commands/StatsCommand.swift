#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve stats`
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show the number of entities and versions in a store, and its size.",
    discussion: """
      A version is a value that a property had, or a removal. The versions are counted \
      in the log, which takes as long as reading it. The size of each table includes its indexes; \
      it is that of its pages, or of its values if SQLite cannot count pages by table. Past states \
      have counts only.

      Examples:
        varve stats hats.varve
        varve stats hats.varve --as-of 2018-12-31
        varve stats hats.varve --csv
        varve stats hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (statistics, state) = try await file.use(readOnly: true) { store in
      let moment = try await reading.asOf.moment(in: store)
      let statistics = try await Progress.during("stats", "commits") { progress in
        try await Statistics(of: store, at: moment) {
          progress.show($0.commitCount, of: $0.totalCount)
        }
      }
      return (statistics, try await Self.json(moment, in: store))
    }
    guard case .object(var members) = statistics.json else { preconditionFailure("is an object") }
    members.append(JSON.Member(name: "asOf", value: state))
    var answer = Answer(.object(members))
    say(statistics, in: &answer)
    answer.tabulate(statistics.table)
    try output.write(answer)
  }

  /// Returns the state in the form that `--as-of` accepts.
  private static func json(_ moment: Moment, in store: Store) async throws -> JSON {
    switch moment {
    case .now: try await store.frontier().json
    case .frontier(let frontier): frontier.json
    case .time(let time): .string(DateWriter.exact(time))
    }
  }

  private func say(_ statistics: Statistics, in answer: inout Answer) {
    let tally = statistics.tally
    answer.say(
      "\(counted(statistics.entityCount, "entity", "entities")), "
        + "\(counted(tally.valueCount + tally.removalCount, "version")), "
        + "\(counted(tally.commitCount, "commit")), "
        + "\(counted(tally.operationCount, "operation"))"
    )
    for commits in statistics.ahead { answer.say(commits.shown) }
    if !statistics.types.isEmpty {
      answer.say("")
      answer.show(statistics.typeTable)
    }
    guard let sizes = statistics.sizes else { return }
    answer.say("")
    answer.say(
      "file \(counted(sizes.fileByteCount, "byte")), "
        + "write-ahead log \(counted(sizes.writeAheadByteCount, "byte"))"
    )
    answer.say(
      "log \(counted(sizes.logByteCount, "byte")), "
        + "derived from it \(counted(sizes.derivedByteCount, "byte"))"
    )
    answer.say("")
    answer.show(Self.table(sizes))
  }

  private static func table(_ sizes: StorageSizes) -> Table {
    var table = Table([
      Table.Column(heading: "table"),
      Table.Column(heading: "bytes of \(sizes.measure.rawValue)", isNumeric: true),
      Table.Column(heading: "part of"),
    ])
    for size in sizes.tables {
      table.add(size.name, grouped(size.byteCount), size.isLog ? "log" : "derived")
    }
    return table
  }
}

extension Statistics {
  fileprivate var typeTable: Table {
    var table = Table([
      Table.Column(heading: "type"), Table.Column(heading: "entities", isNumeric: true),
    ])
    for type in types { table.add(type.type.text, grouped(type.count)) }
    return table
  }

  /// The numbers as a table for programs, one per row.
  fileprivate var table: Table {
    var table = Table("what", "name", "number")
    func add(_ what: String, _ name: String, _ number: Int) {
      table.add(what, name, String(number))
    }
    for type in types { add("entities", type.type.text, type.count) }
    add("commits", "", tally.commitCount)
    add("operations", "", tally.operationCount)
    add("values", "", tally.valueCount)
    add("removals", "", tally.removalCount)
    for commits in ahead { add("commits ahead", commits.replica.text, commits.commitCount) }
    guard let sizes else { return table }
    add("bytes", "file", sizes.fileByteCount)
    add("bytes", "write-ahead log", sizes.writeAheadByteCount)
    for size in sizes.tables {
      add("bytes of \(size.isLog ? "log" : "derived") table", size.name, size.byteCount)
    }
    return table
  }
}
#endif
