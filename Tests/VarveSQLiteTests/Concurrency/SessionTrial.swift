import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Several stores on one file that do random things in turn, and must agree with one that was
/// opened just now: writes that change nothing, that fail and that are refused among them.
struct SessionTrial {
  private struct Refusal: Error {}

  private let seed: UInt64
  private let clock = TestClock()
  private let path: String
  private var random: SplitMix64
  private let ids: [EntityID] = ["a", "b", "c", "d", "e"]
  private let keys: [PropertyKey] = ["k", "l", "m"]
  /// Errors that no step may throw; all other errors are refusals by the rules for local writes.
  private static let faults: Set<VarveError.Code> = [.damaged, .inputOutput, .busy, .closed]

  init(seed: UInt64, in scratch: Scratch) {
    self.seed = seed
    path = scratch.path("store \(seed)")
    random = SplitMix64(seed: seed)
  }

  private func open() async throws -> (backend: SQLiteBackend, store: Store) {
    let backend = try await openBackend(path, clock: clock, touchCapacity: 6)
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = clock.reading()
    return (backend, Store(backend: backend, configuration: configuration))
  }

  /// Plays the given number of steps; returns the number of commits.
  mutating func run(stepCount: Int) async throws -> Int {
    var sessions: [(backend: SQLiteBackend, store: Store)] = []
    for _ in 0..<3 { sessions.append(try await open()) }
    for number in 0..<stepCount {
      clock.advance(by: Int64.random(in: 0...2, using: &random))
      let (turn, step) = (
        Int.random(in: 0..<3, using: &random), Int.random(in: 0..<32, using: &random)
      )
      let place = "seed \(seed), step \(number) (\(step) in session \(turn))"
      do {
        try await run(step, in: sessions[turn].store)
      } catch is Refusal {
      } catch is CancellationError {
      } catch let error as VarveError where !Self.faults.contains(error.code) {
      } catch {
        Issue.record("\(place): \(error)")
        return number
      }
      // After each step, some sessions read and others are left behind.
      guard random.chance(50) else { continue }
      guard try await agree(sessions.map(\.backend), place) else { return number }
    }
    _ = try await agree(sessions.map(\.backend), "seed \(seed), at the end")
    let count = try await sessions[0].store.log().count
    for session in sessions { try await session.store.close() }
    let last = try await open().backend
    try await last.expectFold(ids, clock: clock)
    try await last.close()
    return count
  }

  /// Returns whether sessions have the same contents as a newly opened one.
  private mutating func agree(_ backends: [SQLiteBackend], _ place: String) async throws -> Bool {
    let fresh = try await open().backend
    let past = Moment.time(
      HybridTime(millisecondsSince1970: clock.now - Int64.random(in: 0...9, using: &random))
    )
    var expected: [CanonicalExport?] = []
    for moment in [Moment.now, past] { expected.append(try await export(fresh, moment)) }
    let findings = try await fresh.findings()
    try await fresh.close()
    guard findings.isEmpty else {
      Issue.record("\(place): \(findings)")
      return false
    }
    for (index, backend) in backends.enumerated() where random.chance(60) {
      for (moment, expected) in zip([Moment.now, past], expected) {
        let actual = try await export(backend, moment)
        guard actual == expected else {
          let difference = expected.flatMap { actual?.firstDifference(from: $0) }
          Issue.record("\(place): session \(index) at \(moment): \(difference ?? "not there")")
          return false
        }
      }
    }
    return true
  }

  /// Returns the contents of a state, or nil if it is folded.
  private func export(_ backend: SQLiteBackend, _ moment: Moment) async throws -> CanonicalExport? {
    do {
      return try await CanonicalExport(of: backend, at: moment, ids: ids)
    } catch let error as VarveError where error.code == .compacted {
      return nil
    }
  }
}

// MARK: - Steps

extension SessionTrial {
  private mutating func run(_ step: Int, in store: Store) async throws {
    let (id, other, key) = (random.pick(ids), random.pick(ids), random.pick(keys))
    let value = Value.int(Int64.random(in: 0...3, using: &random))
    let past = Date(timeIntervalSince1970: Double(clock.now - 3) / 1_000)
    switch step {
    case 0..<4: try await store.create("A", id: id, [key: value])
    case 4..<8: try await store.set(id, key, value)
    case 8: try await store.set(id, key, .string("text"))
    case 9: try await store.set(id, key, value, at: past)
    case 10: try await store.remove(id, key)
    case 11: try await store.relate(id, .owns, other)
    case 12: try await store.unrelate(id, .owns, other)
    case 13: try await store.setCollection(id, "list", to: [other, id])
    case 14: try await store.removeFromCollection(id, "list", [other])
    case 15: try await store.erase(id)
    case 16: try await store.restore(id, .asRoot)
    case 17: try await store.purge([id])
    case 18: try await store.compact(keeping: .milliseconds(5), shrinking: false)
    case 19:
      if let commit = try await store.log(limit: 3).last { try await store.undo(commit.id) }
    case 20: try await store.create("B", id: id, [key: value], at: past)
    case 21: try await store.rebuild()
    default: try await changeNothing(step, id, key, value, in: store)
    }
  }

  /// Writes that leave everything as it is.
  private mutating func changeNothing(
    _ step: Int,
    _ id: EntityID,
    _ key: PropertyKey,
    _ value: Value,
    in store: Store
  ) async throws {
    switch step {
    case 22: try await store.erase(["unknown"])
    case 23: try await store.restore(id)
    case 24: try await store.remove(id, "absent")
    case 25:
      guard let entity = try await store.entity(id) else { return }
      try await store.update(id, entity.properties.mapValues { $0.value })
    case 26: try await store.setCollection(id, "list", to: store.collection(of: id, "list") ?? [])
    case 27: try await store.write { _ in }
    case 28: try await store.addIndex(on: key, of: "A")
    case 29:
      // What is written becomes a column, which the next write may make of another kind.
      try await store.write { tx in
        try await tx.set(id, PropertyKey("new \(key.text)"), value)
        _ = try await tx.entity(id)
        try await tx.setCollection(id, "list", to: [id])
        throw Refusal()
      }
    case 30:
      let hook = store.willErase { _, _ in throw Refusal() }
      defer { hook.cancel() }
      try await store.erase(id)
    default:
      let task = Task {
        try await store.write { tx in
          try await tx.create("C", id: "cancelled", [key: value])
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      try await task.value
    }
  }
}
