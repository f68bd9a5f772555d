#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve timeline`
struct TimelineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Draw a histogram of commits over time.",
    discussion: """
      A commit counts at the time at which it was written, whatever times its values hold from. \
      Times are in UTC.

      Examples:
        varve timeline hats.varve
        varve timeline hats.varve --by author --from 2018-01-01
        varve timeline hats.varve --type Hat
        varve timeline hats.varve --id hat-1 --around 2018-12-08
        varve timeline hats.varve --intervals 12 --json
      """
  )

  @OptionGroup var file: StoreFile
  @Option(help: "Count the commits that wrote to entities of a type.") var type: String?
  @Option(help: "Count the commits that wrote to an entity.") var id: String?
  @Option(
    help: ArgumentHelp("The beginning; the first commit by default.", valueName: "date"),
    transform: DateArgument.parse
  )
  var from: Date?
  @Option(
    help: ArgumentHelp("The end; the last commit by default.", valueName: "date"),
    transform: DateArgument.parse
  )
  var to: Date?
  @Option(parsing: .unconditional, help: "The number of intervals; as many as fit by default.")
  var intervals: Int?
  @Option(
    help: ArgumentHelp("Count by \"author\" or by \"replica\".", valueName: "what"),
    completion: .list(Timeline.Grouping.allCases.map(\.rawValue)),
    transform: grouping
  )
  var by: Timeline.Grouping?
  @Option(
    help: ArgumentHelp(
      "Show the commits before and after a date or a commit instead.",
      valueName: "date|commit"
    ),
    transform: MomentName.parse
  )
  var around: MomentName?
  @OptionGroup var naming: NamingOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: OutputOptions

  private static func grouping(_ text: String) throws -> Timeline.Grouping {
    guard let grouping = Timeline.Grouping(rawValue: text) else {
      throw UsageError("--by takes author or replica.")
    }
    return grouping
  }

  func validate() throws {
    if type != nil, id != nil { throw UsageError("Use --type or --id, not both.") }
    if let intervals, !(1...100_000 ~= intervals) {
      throw UsageError("--intervals must be from 1 to 100,000.")
    }
    if let from, let to, from > to { throw UsageError("--from must not be after --to.") }
    if case .now? = around { throw UsageError("--around takes a date or a commit.") }
    if case .frontier? = around { throw UsageError("--around takes a date or a commit.") }
    if around != nil, from != nil || to != nil || intervals != nil || by != nil {
      throw UsageError("--around goes with --type, --id and --as-of only.")
    }
  }

  func run() async throws {
    let answer = try await file.use(readOnly: true) { store in
      try await reading.read(store) { state in
        let subject = try await subject(in: state)
        let notes = try await self.notes(in: state)
        if let around {
          var answer = Self.listing(try await commits(around: around, store, state, subject))
          answer.note(notes)
          return answer
        }
        let timeline = try await state.timeline(
          of: subject,
          from: from,
          to: to,
          intervals: intervals ?? room,
          by: by
        )
        var answer = drawing(timeline)
        answer.note(notes)
        return answer
      }
    }
    try output.write(answer)
  }

  private func notes(in state: Snapshot) async throws -> [NameNote] {
    guard let type else { return [] }
    let names = ReadNames(type: EntityType(type))
    return try await naming.notes(on: names, in: state, at: file.store)
  }

  private func commits(
    around place: MomentName,
    _ store: Store,
    _ state: Snapshot,
    _ subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    switch place {
    case .date(let date): return try await state.commits(around: date, of: subject)
    case .commit(let name):
      return try await state.commits(around: store.commit(named: name).id, of: subject)
    case .written(let id): return try await state.commits(around: id, of: subject)
    case .now, .frontier: preconditionFailure("refused when the arguments were read")
    }
  }

  private func subject(in state: Snapshot) async throws -> Timeline.Subject {
    if let type { return .type(EntityType(type)) }
    guard let id else { return .store }
    let entity = try EntityID(id)
    if try await state.status(of: entity) == .unknown { _ = try await state.require(entity) }
    return .entity(entity)
  }

  // MARK: Drawing

  private static let nameWidth = 20
  private static let height = 6

  /// How many intervals fit, beside names and totals if there are any.
  private var room: Int {
    if output.json || output.csv { return 100 }
    let width = Output.columns ?? 80
    return max(10, by == nil ? width : width - Self.nameWidth - 12)
  }

  private func drawing(_ timeline: Timeline) -> Answer {
    var answer = Answer(timeline.json)
    answer.tabulate(Self.table(timeline))
    guard let first = timeline.intervals.first, let last = timeline.intervals.last else {
      answer.say("no commits")
      return answer
    }
    answer.say(
      "\(counted(timeline.total, "commit")) from \(DateWriter.short(first.start)) "
        + "to \(DateWriter.short(last.end))"
    )
    if by == nil {
      let counts = timeline.intervals.map(\.count)
      let bars = Bars(counts, greatest: counts.max() ?? 0, height: Self.height)
      for line in bars.lines { answer.say(line) }
    } else {
      let greatest = timeline.series.flatMap(\.counts).max() ?? 0
      for series in timeline.series {
        let name = (series.name ?? "(no author)").printable
          .truncated(toDisplayWidth: Self.nameWidth)
        let gap = String(repeating: " ", count: Self.nameWidth + 1 - name.displayWidth)
        let bars = Bars(series.counts, greatest: greatest, height: 1)
        answer.say("\(name)\(gap)\(bars.lines[0]) \(grouped(series.total))")
      }
    }
    return answer
  }

  private static func table(_ timeline: Timeline) -> Table {
    var table = Table(
      [
        Table.Column(heading: "from (UTC)", isWhole: true),
        Table.Column(heading: "to (UTC)", isWhole: true),
        Table.Column(heading: "commits", isNumeric: true),
      ] + timeline.series.map { Table.Column(heading: $0.name ?? "", isNumeric: true) }
    )
    for (index, interval) in timeline.intervals.enumerated() {
      table.add(
        [
          DateWriter.exact(interval.start), DateWriter.exact(interval.end),
          String(interval.count),
        ] + timeline.series.map { String($0.counts[index]) }
      )
    }
    return table
  }

  private static func listing(_ commits: NeighboringCommits) -> Answer {
    var answer = Answer(commits.json)
    var table = Table([
      Table.Column(heading: "which"), Table.Column(heading: "time (UTC)", isWhole: true),
      Table.Column(heading: "author"), Table.Column(heading: "message"),
      Table.Column(heading: "commit", isWhole: true),
    ])
    for (name, commit) in [("previous", commits.previous), ("next", commits.next)] {
      guard let commit else { continue }
      table.add(
        name,
        DateWriter.short(commit.time),
        commit.shownAuthor,
        commit.message ?? "",
        commit.id.description
      )
    }
    if commits.previous == nil, commits.next == nil {
      answer.tabulate(table)
      answer.say("no commits")
    } else {
      answer.show(table)
    }
    return answer
  }
}
#endif
