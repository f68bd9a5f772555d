#if CommandLine && Client
import VarveClient
import VarveCore
import VarveJSON
import VarveStore
import VarveSync

/// What `varve sync --watch` prints: states, exchanges that moved commits, and new conflicts, each on
/// a line with its time.
struct SyncWatch {
  enum Event: Sendable {
    case status(Replicator.Status)
    case exchange(SyncReport)
  }

  private let store: Store
  private let (here, there): (String, String)
  private let output: OutputOptions
  private var lastStatus: String?
  private var lastReport = SyncReport()
  private var lastAhead: [CommitsAhead] = []
  private var conflicts: Set<Conflict> = []

  /// Begins with the conflicts that there are.
  init(
    _ store: Store,
    named here: String,
    with there: String,
    _ output: OutputOptions
  ) async throws {
    (self.store, self.output) = (store, output)
    (self.here, self.there) = (here, there)
    conflicts = Set(try await store.conflicts())
  }

  /// Prints an event, if it is news.
  mutating func show(_ event: Event) async throws {
    switch event {
    case .status(let status):
      guard status.shown != lastStatus else { return }
      lastStatus = status.shown
      try write("state", status.json, [status.shown])
    case .exchange(let report):
      let ahead = AheadOnBothSides(here: try await store.commitsAhead())
      let isSame = report.attention == lastReport.attention && ahead.here == lastAhead
      guard report.hasMoved || !isSame else { return }
      (lastReport, lastAhead) = (report, ahead.here)
      var answer = Answer(report.json(ahead))
      report.say(here: here, there: there, ahead, in: &answer)
      try write("exchange", answer.json, answer.lines)
      try await showConflicts()
    }
  }

  /// Prints the conflicts that an exchange brought, and how many it settled.
  private mutating func showConflicts() async throws {
    let present = try await store.conflicts()
    let new = present.filter { !conflicts.contains($0) }
    let places = Set(present.map(\.place))
    let settled = Set(conflicts.map(\.place)).subtracting(places).count
    conflicts = Set(present)
    guard !new.isEmpty || settled > 0 else { return }
    var lines = new.map { "conflict: \($0.shown)" }
    if settled > 0 { lines.append("\(counted(settled, "conflict")) settled") }
    try write(
      "conflicts",
      [
        "new": .array(new.map(\.json)), "settled": .count(settled), "count": .count(present.count),
      ],
      lines
    )
  }

  private func write(_ event: String, _ members: JSON, _ lines: [String]) throws {
    let time = try SystemClock.time()
    var document: JSON = ["time": .string(DateWriter.exact(time)), "event": .string(event)]
    if case .object(let head) = document, case .object(let rest) = members {
      document = .object(head + rest)
    }
    var answer = Answer(document)
    for line in lines { answer.say("\(DateWriter.short(time))  \(line)") }
    try output.write(answer)
  }
}

extension SyncReport {
  /// Whether commits were exchanged, or something died or was completed by them.
  fileprivate var hasMoved: Bool {
    receivedCount + sentCount + completedCount > 0 || !died.isEmpty || !diedThere.isEmpty
  }

  /// What needs attention: it is printed once, not after each exchange.
  fileprivate var attention: [Int] {
    [
      partialCount, heldBackCount, parked.count, parkedThere.count,
      waiting.reduce(0) { $0 + $1.commitCount },
    ]
  }
}

extension Conflict {
  fileprivate struct Place: Hashable {
    let entity: EntityID
    let key: PropertyKey?
  }

  /// The property in conflict, without its versions.
  fileprivate var place: Place { Place(entity: entity, key: key) }

  /// The conflict on a line.
  fileprivate var shown: String {
    guard let key else { return "\(entity) died with \(erased.shown())".printable }
    let values = versions.map { version in
      version.content.shown + (version.author.map { " by \($0)" } ?? "")
    }
    return "\(entity) \(key): \(values.joined(separator: ", "))".printable
  }
}

extension Replicator.Status {
  fileprivate var json: JSON {
    [
      "state": .string(state.rawValue), "waiting": waitingCount.map { .count($0) } ?? .null,
      "error": .optional(error?.code.rawValue),
    ]
  }

  fileprivate var shown: String {
    let count = waitingCount ?? 0
    let waiting = count > 0 ? ", \(counted(count, "commit")) waiting" : ""
    return state.rawValue + waiting + (error.map { ": \($0.message.printable)" } ?? "")
  }
}
#endif
