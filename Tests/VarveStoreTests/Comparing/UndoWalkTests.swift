import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Random commits of one author, undone to the first and done again to the last.
struct UndoWalk {
  private let ids: [EntityID] = ["a", "b", "c", "d", "e"]
  private let keys: [PropertyKey] = ["k", "l"]
  private let seed: UInt64
  private var random: SplitMix64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  /// Plays, goes back and forth; records an issue where something is not as it was.
  mutating func run(_ engine: Engine, commitCount: Int) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    var pictures = [try await picture(store)]
    var commits: [CommitID] = []
    var names: [String] = []
    while commits.count < commitCount {
      clock.advance(by: Int64.random(in: 0...1, using: &random))
      let count = Int.random(in: 1...3, using: &random)
      var done: [String] = []
      var steps: [Step] = []
      for _ in 0..<count { steps.append(step()) }
      let commit = try await store.commit { [steps] tx in
        var done: [String] = []
        for step in steps where try await step.run(tx) { done.append("\(step)") }
        return done
      }
      done = commit.result
      guard let id = commit.commit?.id else { continue }
      commits.append(id)
      names.append(done.joined(separator: ", "))
      pictures.append(try await picture(store))
    }
    var undos: [CommitID] = []
    for index in commits.indices.reversed() {
      let place = "seed \(seed), undoing \(index) of \(names)"
      let report = try await store.undo(commits[index])
      guard try await expect(pictures[index], in: store, report, place) else { return }
      // A commit that only confirmed values has nothing to undo.
      guard let undo = report.commit?.id else { return }
      undos.append(undo)
    }
    for (index, undo) in zip(commits.indices, undos.reversed()) {
      let place = "seed \(seed), doing again \(index) of \(names)"
      let report = try await store.undo(undo)
      guard try await expect(pictures[index + 1], in: store, report, place) else { return }
    }
    #expect(try await store.check().findings == [])
  }

  private func picture(_ store: Store) async throws -> Picture {
    try await Picture(of: store, ids, keys: keys)
  }

  private func expect(
    _ expected: Picture,
    in store: Store,
    _ report: UndoReport,
    _ place: String
  ) async throws -> Bool {
    let picture = try await picture(store)
    let isExact = picture == expected && report.skipped.isEmpty
    #expect(isExact, "\(place): expected \(expected) got \(picture), skipped \(report.skipped)")
    return isExact
  }

  private mutating func step() -> Step {
    let (id, other, key) = (random.pick(ids), random.pick(ids), random.pick(keys))
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<3: return .create(id, key, Int64.random(in: 0..<3, using: &random))
    case 3..<5: return .set(id, key, Int64.random(in: 0..<3, using: &random))
    case 5: return .remove(id, key)
    case 6, 7:
      let count = Int.random(in: 0...3, using: &random)
      return .collect(id, key, (0..<count).map { _ in random.pick(ids) })
    case 8: return .relate(id, .owns, other)
    case 9: return .relate(id, .free, other)
    case 10: return .unrelate(id, .owns, other)
    case 11: return .unrelate(id, .free, other)
    case 12: return .erase(id)
    default: return .restore(id)
    }
  }
}

private enum Step {
  case create(EntityID, PropertyKey, Int64)
  case set(EntityID, PropertyKey, Int64)
  case remove(EntityID, PropertyKey)
  case collect(EntityID, PropertyKey, [EntityID])
  case relate(EntityID, RelationKind, EntityID)
  case unrelate(EntityID, RelationKind, EntityID)
  case erase(EntityID)
  case restore(EntityID)

  /// Does it where that is allowed; returns whether it was.
  func run(_ tx: WriteTransaction) async throws -> Bool {
    do {
      switch self {
      case .create(let id, let key, let value):
        guard try await tx.status(of: id) == .unknown else { return false }
        try await tx.create("node", id: id, [key: .int(value)])
      case .set(let id, let key, let value): try await tx.set(id, key, .int(value))
      case .remove(let id, let key): try await tx.remove(id, key)
      case .collect(let id, let key, let targets):
        // An unknown target is shown in lists; one that was created and undone is erased, and is
        // not.
        guard try await tx.entities(targets).allSatisfy({ $0 != nil }) else { return false }
        try await tx.setCollection(id, key, to: targets)
      case .relate(let id, let kind, let other):
        guard try await tx.entities([id, other]).allSatisfy({ $0 != nil }) else { return false }
        try await tx.relate(id, kind, other)
      case .unrelate(let id, let kind, let other): try await tx.unrelate(id, kind, other)
      case .erase(let id): try await tx.erase(id)
      case .restore(let id): try await tx.restore(id)
      }
      return true
    } catch let error as VarveError where [.notFound, .ownersDead].contains(error.code) {
      return false
    }
  }
}

@Suite struct UndoWalkTests {
  @Test(arguments: 0..<25 as Range<UInt64>)
  func `commits of one author are undone to the first, and done again to the last`(
    seed: UInt64
  ) async throws {
    var walk = UndoWalk(seed: seed)
    try await walk.run(.memory, commitCount: 12)
  }

  @Test(arguments: 100..<103 as Range<UInt64>)
  func `the reference backend undoes alike`(seed: UInt64) async throws {
    var walk = UndoWalk(seed: seed)
    try await walk.run(.reference, commitCount: 8)
  }
}

@Suite(
  "Soak: random commits undone and done again",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct UndoWalkSoakTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `soak: random commits undone and done again are as they were`(part: UInt64) async throws {
    for seed in 1_000 + part * 50..<1_050 + part * 50 {
      var walk = UndoWalk(seed: seed)
      try await walk.run(.memory, commitCount: seed % 5 == 0 ? 30 : 12)
    }
  }
}
