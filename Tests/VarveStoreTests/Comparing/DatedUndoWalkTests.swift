import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Random commits, many of them for earlier times, each undone and done again.
private struct DatedUndoWalk {
  private let ids: [EntityID] = ["a", "b", "c"]
  private let keys: [PropertyKey] = ["k", "l"]
  private let dates = [-300, -200, -100].map(Date.test)
  private let seed: UInt64
  private var random: SplitMix64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  /// What a person sees now, and saw at moments between the dates.
  private func pictures(_ store: Store) async throws -> [Picture] {
    var pictures = [try await Picture(of: store.asOf(Moment.now), ids, keys: keys)]
    for date in [-250, -150, -50].map(Date.test) {
      pictures.append(try await Picture(of: store.asOf(date), ids, keys: keys))
    }
    return pictures
  }

  /// Returns how many undos skipped nothing.
  mutating func run(_ engine: Engine) async throws -> Int {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    for id in ids where random.chance(80) {
      try await store.create("node", id: id, at: .test(-400))
    }
    var exactCount = 0
    var done: [String] = []
    for _ in 0..<10 {
      clock.advance(by: 1)
      let before = try await pictures(store)
      let count = random.chance(70) ? 1 : 2
      var steps: [Step] = []
      for _ in 0..<count { steps.append(step()) }
      let commit = try await store.commit { [steps] tx in
        var written: [String] = []
        for step in steps where try await step.run(tx) { written.append("\(step)") }
        return written
      }
      guard let id = commit.commit?.id else { continue }
      done.append(commit.result.joined(separator: ", "))
      let after = try await pictures(store)
      let place = "seed \(seed), \(done)"
      let report = try await store.undo(id)
      guard report.skipped.isEmpty else { continue }
      exactCount += 1
      guard try await expect(before, in: store, "undone: \(place)") else { return exactCount }
      guard let undo = report.commit else { continue }
      let again = try await store.undo(undo.id)
      guard again.skipped.isEmpty else { continue }
      guard try await expect(after, in: store, "done again: \(place)") else { return exactCount }
    }
    #expect(try await store.check().findings == [])
    return exactCount
  }

  private func expect(
    _ expected: [Picture],
    in store: Store,
    _ place: String
  ) async throws -> Bool {
    let found = try await pictures(store)
    for (name, (one, other)) in zip(["now", "-250", "-150", "-50"], zip(found, expected))
    where one != other {
      Issue.record("\(place): as of \(name) is \(one) and not \(other)")
      return false
    }
    return true
  }

  private mutating func step() -> Step {
    let (id, other, key) = (random.pick(ids), random.pick(ids), random.pick(keys))
    let date = random.chance(75) ? random.pick(dates) : nil
    let change: Change
    switch Int.random(in: 0..<14, using: &random) {
    case 0: change = .create
    case 1..<5: change = .set(key, Int64.random(in: 0..<3, using: &random))
    case 5: change = .remove(key)
    case 6, 7:
      let count = Int.random(in: 0...2, using: &random)
      change = .collect(key, (0..<count).map { _ in random.pick(ids) })
    case 8, 9: change = .relate(random.pick([.owns, .free]), other)
    case 10, 11: change = .unrelate(random.pick([.owns, .free]), other)
    case 12: change = .erase
    default: change = .restore
    }
    return Step(id: id, change: change, date: date)
  }

  private enum Change {
    case create
    case set(PropertyKey, Int64)
    case remove(PropertyKey)
    case collect(PropertyKey, [EntityID])
    case relate(RelationKind, EntityID)
    case unrelate(RelationKind, EntityID)
    case erase
    case restore
  }

  private struct Step: CustomStringConvertible {
    let id: EntityID
    let change: Change
    let date: Date?

    var description: String {
      "\(id) \(change) \(date.map { "at \($0.timeIntervalSince1970 - 1_700_000_000)" } ?? "")"
    }

    /// Does it where that is allowed; returns whether it was.
    func run(_ tx: WriteTransaction) async throws -> Bool {
      do {
        switch change {
        case .create:
          guard try await tx.status(of: id) == .unknown else { return false }
          try await tx.create("node", id: id, at: date)
        case .set(let key, let value): try await tx.set(id, key, .int(value), at: date)
        case .remove(let key): try await tx.remove(id, key, at: date)
        case .collect(let key, let targets):
          guard try await tx.entities(targets).allSatisfy({ $0 != nil }) else { return false }
          try await tx.setCollection(id, key, to: targets, at: date)
        case .relate(let kind, let other):
          guard try await tx.entities([id, other]).allSatisfy({ $0 != nil }) else { return false }
          try await tx.relate(id, kind, other, at: date)
        case .unrelate(let kind, let other): try await tx.unrelate(id, kind, other, at: date)
        case .erase: try await tx.erase(id, at: date)
        case .restore: try await tx.restore(id, at: date)
        }
        return true
      } catch let error as VarveError where [.notFound, .ownersDead].contains(error.code) {
        return false
      }
    }
  }
}

@Suite struct DatedUndoWalkTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `an undo that skips nothing leaves the present and the past as they were`(
    seed: UInt64
  ) async throws {
    var walk = DatedUndoWalk(seed: seed)
    let exactCount = try await walk.run(.memory)
    #expect(exactCount > 0)
  }
}

@Suite(
  "Soak: random dated commits undone",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct DatedUndoWalkSoakTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `soak: random dated commits undone leave the past as it was`(part: UInt64) async throws {
    for seed in 1_000 + part * 100..<1_100 + part * 100 {
      var walk = DatedUndoWalk(seed: seed)
      _ = try await walk.run(.memory)
    }
  }
}
