import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Two stores with the same random content. One erases what a query selects, the other the same
/// entities by their identifiers.
private struct ErasedTwice {
  private let ids: [EntityID] = ["a", "b", "c", "d", "e", "f"]
  private let types: [EntityType] = ["T", "U"]
  private let dates = [-300, -200, -100].map(Date.test)
  private let moments = [-250, -150, -50].map(Date.test)
  /// Whether entities own and refer to others. Those that own nothing are erased at once.
  private let hasRelations: Bool
  private var random: SplitMix64

  init(seed: UInt64) {
    hasRelations = seed % 3 != 0
    random = SplitMix64(seed: seed)
  }

  mutating func run(_ engine: Engine, roundCount: Int = 5) async throws {
    let clock = TestClock()
    let stores = [
      try await makeStore(engine, clock: clock), try await makeStore(engine, clock: clock),
    ]
    for _ in 0..<roundCount {
      clock.advance(by: 1_000)
      var steps: [Step] = []
      for _ in 0..<Int.random(in: 2...8, using: &random) { steps.append(step()) }
      for store in stores {
        try await store.write { [steps] tx in for step in steps { try await step.run(tx) } }
      }
      clock.advance(by: 1_000)
      let before = [
        try await picture(stores[0], since: .empty), try await picture(stores[1], since: .empty),
      ]
      #expect(before[0] == before[1])
      try await erase(in: stores)
    }
    #expect(try await stores[0].check().findings == [])
  }

  /// Erases in both stores, in the middle of other writes or alone, and compares everything; then
  /// undoes some of it.
  private mutating func erase(in stores: [Store]) async throws {
    let (query, date) = (query(), random.chance(30) ? random.pick(dates) : nil)
    let (first, last) = (random.chance(40) ? step() : nil, random.chance(40) ? step() : nil)
    let frontiers = [try await stores[0].frontier(), try await stores[1].frontier()]
    var commits: [CommitSummary?] = []
    var changes: [ChangeSet?] = []
    var died: [[EntityID]] = []
    for (place, store) in stores.enumerated() {
      let sequence = try await store.changes()
      let (dead, commit) = try await store.commit { tx in
        try await first?.run(tx)
        let dead: [EntityID]
        if place == 0 {
          dead = try await tx.erase(query, at: date)
        } else {
          dead = try await tx.erase(tx.fetch(query).map(\.id), at: date)
        }
        try await last?.run(tx)
        return dead
      }
      died.append(dead)
      commits.append(commit)
      try await store.reportNews()
      // A commit that changes nothing in the end has no change set.
      changes.append(sequence.poll())
    }
    let place = "\(query), \(died)"
    #expect(died[0] == died[1], "\(place)")
    #expect(changes[0]?.added == changes[1]?.added, "\(place)")
    #expect(changes[0]?.erased == changes[1]?.erased, "\(place)")
    #expect(changes[0]?.changed == changes[1]?.changed, "\(place)")
    #expect(changes[0]?.keysByEntity == changes[1]?.keysByEntity, "\(place)")
    #expect(changes[0]?.types == changes[1]?.types, "\(place)")
    try await compare(stores, since: frontiers, place)
    guard let one = commits[0], let other = commits[1], random.chance(50) else { return }
    let undone = [try await stores[0].undo(one.id), try await stores[1].undo(other.id)]
    #expect(undone[0].restored == undone[1].restored, "\(place)")
    #expect(undone[0].skipped.map(\.entity) == undone[1].skipped.map(\.entity), "\(place)")
    try await compare(stores, since: frontiers, "\(place), undone")
  }

  private func compare(
    _ stores: [Store],
    since frontiers: [Frontier],
    _ place: String
  ) async throws {
    let one = try await picture(stores[0], since: frontiers[0])
    let other = try await picture(stores[1], since: frontiers[1])
    let difference = zip(one, other).first { $0 != $1 }
    #expect(one == other, "\(place): \(difference.map { "\($0) and \($1)" } ?? "")")
  }

  /// What the present and the past show, without the names of commits.
  private func picture(_ store: Store, since frontier: Frontier) async throws -> [String] {
    var lines: [String] = []
    for id in ids {
      for version in try await store.history(of: id) {
        let content =
          if case .remove(let relation, let target, _) = version.content {
            "removed \(relation.name) \(target)"
          } else { "\(version.content)" }
        lines.append("\(id) \(content) \(version.time) \(version.commit.time)")
      }
    }
    let ended = try await store.diff(from: .frontier(frontier)).ended.map(\.id)
    lines.append("ended \(ended.sorted())")
    for state in [store.asOf(Moment.now), store.asOf(Moment.frontier(frontier))] {
      lines += try await self.lines(state)
    }
    for moment in moments { lines += try await self.lines(store.asOf(moment)) }
    return lines
  }

  private func lines(_ state: PastState) async throws -> [String] {
    var lines = ["\(try await state.allIDs())"]
    for type in types {
      for entity in try await state.fetch(Query(type)) {
        lines.append("\(entity.id) \(entity.type) \(entity.datestamp) \(entity.modified)")
        lines += entity.keys.map { "\(entity.id) \($0) \(entity[$0]?.description ?? "")" }
      }
    }
    for id in ids {
      lines.append("\(id) \(try await state.status(of: id))")
      for kind in RelationKind.allCases {
        lines.append("\(id) \(kind) \(try await state.relatedIDs(id, kind))")
      }
    }
    return lines
  }

  private mutating func query() -> Query {
    let all = Query(random.pick(types))
    let some =
      random.chance(60) ? all.where(Field("k") == random.pick([1, 2])) : all
    let ordered = random.chance(30) ? some.order(by: Field("k"), descending: true) : some
    return random.chance(20) ? ordered.limit(random.pick([1, 2])) : ordered
  }

  private mutating func step() -> Step {
    let (id, other) = (random.pick(ids), random.pick(ids))
    let date = random.chance(30) ? random.pick(dates) : nil
    let number = Int64.random(in: 1...2, using: &random)
    switch Int.random(in: 0..<(hasRelations ? 12 : 7), using: &random) {
    case 0..<4: return Step(id: id, change: .create(random.pick(types), number), date: date)
    case 4: return Step(id: id, change: .set(number), date: date)
    case 5: return Step(id: id, change: .erase, date: date)
    case 6: return Step(id: id, change: .restore, date: date)
    case 7, 8, 9: return Step(id: id, change: .own(other), date: date)
    case 10: return Step(id: id, change: .disown(other), date: date)
    default: return Step(id: id, change: .refer(other), date: date)
    }
  }

  private struct Step {
    enum Change {
      case create(EntityType, Int64)
      case set(Int64)
      case erase
      case restore
      case own(EntityID)
      case disown(EntityID)
      case refer(EntityID)
    }

    let id: EntityID
    let change: Change
    let date: Date?

    /// Does it, where it is allowed.
    func run(_ tx: WriteTransaction) async throws {
      do {
        switch change {
        case .create(let type, let number):
          try await tx.create(type, id: id, ["k": .int(number)], at: date)
        case .set(let number): try await tx.set(id, "k", .int(number), at: date)
        case .erase: try await tx.erase(id, at: date)
        case .restore: try await tx.restore(id, .withOwners, at: date)
        case .own(let other): try await tx.relate(id, .owns, other, at: date)
        case .disown(let other): try await tx.unrelate(id, .owns, other, at: date)
        case .refer(let other): try await tx.setCollection(id, "l", to: [other], at: date)
        }
      } catch let error as VarveError
        where [.notFound, .ownersDead, .duplicateIdentifier, .invalidArgument].contains(error.code)
      {}
    }
  }
}

@Suite struct ErasureByQueryTests {
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `erasing by a query leaves the same store as erasing the same entities`(
    seed: UInt64
  ) async throws {
    var stores = ErasedTwice(seed: seed)
    try await stores.run(seed % 10 == 0 ? .file : .memory)
  }

  @Test func `erasing by a query leaves the same store in the reference backend`() async throws {
    var stores = ErasedTwice(seed: 100)
    try await stores.run(.reference, roundCount: 2)
  }
}

@Suite(
  "Soak: erasing by queries",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct ErasureByQuerySoakTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `soak: erasing by queries leaves the same store as erasing the same entities`(part: UInt64)
    async throws
  {
    for seed in 1_000 + part * 50..<1_050 + part * 50 {
      var stores = ErasedTwice(seed: seed)
      try await stores.run(.memory)
    }
  }
}
