import Foundation
import VarveCore
import VarveStore

/// The commits that one copy wrote without other events in between, oldest first, and how many of
/// them are undone.
struct WrittenCommits {
  struct Entry {
    let commit: CommitID
    /// The states before the commit.
    let before: StoreShapes
  }

  var entries: [Entry] = []
  var undoneCount = 0
}

extension StoreSimulation {
  /// Records a commit that was written here.
  func note(_ commit: CommitSummary, _ before: StoreShapes?, in session: StoreFleet.Session) {
    guard let before else { return }
    var list = written[session.copy] ?? WrittenCommits()
    // An undone commit is not undone again, and commits before it are out of reach.
    if list.undoneCount > 0 { list = WrittenCommits() }
    list.entries.append(.init(commit: commit.id, before: before))
    written[session.copy] = list
  }

  /// Undoes a commit. If it is the newest one, the state must be that before it.
  func undo(ago: Int, in session: StoreFleet.Session) async throws {
    guard let commit = try await session.store.log(limit: 1, offset: ago).first else { return }
    let own = written[session.copy]
    let before = try await shape(session)
    let report = try await session.store.undo(commit.id, author: "sim")
    tally.undoCount += 1
    written[session.copy] = nil
    if ago == 0, let own, own.undoneCount == 0, let last = own.entries.last,
      last.commit == commit.id
    {
      try await demand(last.before, of: report, in: session)
    }
    if let commit = report.commit { note(commit, before, in: session) }
  }

  /// Undoes the newest commit that is not undone yet.
  func undoBack(in session: StoreFleet.Session) async throws {
    guard var list = written[session.copy], list.undoneCount < list.entries.count else { return }
    let entry = list.entries[list.entries.count - 1 - list.undoneCount]
    let report = try await session.store.undo(entry.commit, author: "sim")
    tally.undoCount += 1
    list.undoneCount += 1
    written[session.copy] = report.skipped.isEmpty ? list : nil
    for skipped in report.skipped where skipped.reason == .changedSince {
      // An owner stays if it keeps alive an entity that it owned before.
      let owned = try await session.store.relatedIDs(skipped.entity, .owns)
      guard skipped.key != nil || skipped.edge != nil || owned.isEmpty else { continue }
      try fail(
        .undo,
        "\(skipped.entity).\(skipped.key?.text ?? "") was left as changed since, \(list.undoneCount) "
          + "back, although there was no other writer"
      )
    }
    try await demand(entry.before, of: report, in: session)
  }

  private func demand(
    _ before: StoreShapes,
    of report: UndoReport,
    in session: StoreFleet.Session
  ) async throws {
    guard report.skipped.isEmpty else { return }
    tally.exactUndoCount += 1
    let after = try await StoreShapes(of: session.store, cast)
    // An entity that the commit created was unknown, and is erased now.
    var dead: Set<EntityID> = []
    for id in cast.all {
      switch try await session.store.status(of: id) {
      case .erased, .dead: dead.insert(id)
      case .live, .unknown: break
      }
    }
    if let difference = before.present.omitting(dead).firstDifference(from: after.present) {
      try fail(.undo, "1 was before the commit, 2 is after its undo: \(difference)")
    }
    if let difference = before.outlook.firstDifference(fromRestored: after.outlook) {
      try fail(.undo, "before the commit, and after its undo, \(difference)")
    }
    for (date, shape) in before.past.sorted(by: { $0.key < $1.key }) {
      // Between the commit and its undo, the past shows what it wrote for its own time.
      let time = try HybridTime(date).lastOfDate
      guard let past = after.past[date], time < before.time || after.time < time else { continue }
      if let difference = shape.omitting(dead).firstDifference(from: past.omitting(dead)) {
        try fail(
          .undo,
          "as of \(date), 1 was before the commit, 2 is after its undo: \(difference)"
        )
      }
      guard let (former, latter) = both(before.pastOutlooks[date], after.pastOutlooks[date]),
        let difference = former.firstDifference(fromRestored: latter)
      else { continue }
      try fail(.undo, "as of \(date), before the commit, and after its undo, \(difference)")
    }
  }
}

private func both<Value>(_ one: Value?, _ other: Value?) -> (Value, Value)? {
  one.flatMap { one in other.map { (one, $0) } }
}

/// The present and the past as a reader sees them.
struct StoreShapes {
  /// The time of the newest commit.
  let time: HybridTime
  let present: StoreShape
  /// The past at each of the dates; none where it was compacted.
  private(set) var past: [Date: StoreShape] = [:]
  let outlook: StoreOutlook
  private(set) var pastOutlooks: [Date: StoreOutlook] = [:]

  init(of store: Store, _ cast: StoreCast) async throws {
    time = try await store.log(limit: 1).first?.time ?? .distantPast
    present = try await StoreShape(store.asOf(Moment.now), cast)
    outlook = try await StoreOutlook(store.asOf(Moment.now), cast)
    for date in cast.dates {
      do {
        past[date] = try await StoreShape(store.asOf(date), cast)
        pastOutlooks[date] = try await StoreOutlook(store.asOf(date), cast)
      } catch let error as VarveError where error.code == .compacted {}
    }
  }
}
