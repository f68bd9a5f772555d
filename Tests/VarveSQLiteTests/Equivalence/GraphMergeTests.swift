import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Graphs that replicas change concurrently")
struct GraphMergeTests {
  @Test(arguments: Seeds.first(10, of: 0..<100))
  func `agree in every order, and list unseen deaths`(part: UInt64) async throws {
    var deathCount = 0
    for seed in part * 5..<part * 5 + 5 {
      deathCount += try await GraphMerge(seed: seed, graphCount: 20).run()
    }
    #expect(deathCount > 0, "histories in which nobody dies unseen show little")
  }
}

/// One history of two or three replicas over many small graphs, and all orders to merge it in.
private struct GraphMerge {
  let seed: UInt64
  let graphCount: Int
  private let clock = TestClock()
  private let replicaCount: Int

  init(seed: UInt64, graphCount: Int) {
    self.seed = seed
    self.graphCount = graphCount
    replicaCount = 2 + Int(seed % 2)
  }

  private var ids: [EntityID] {
    (0..<graphCount).flatMap { graph in (0..<5).map { id(graph, $0) } }
  }

  private func id(_ graph: Int, _ number: Int) -> EntityID {
    EntityID(unchecked: "\(graph)-\(number)")
  }

  /// - Returns: how many died unseen.
  func run() async throws -> Int {
    let names = Fleet.replicas(count: replicaCount, seed: seed)
    var stores: [any Backend] = []
    for name in names { stores.append(try await memoryBackend(name, clock)) }
    var random = SplitMix64(seed: seed)
    try await write(stores[0], stepCount: 8, &random)
    for store in stores.dropFirst() { try await store.catchUp(with: stores[0]) }
    for _ in 0..<2 {
      for index in stores.indices {
        clock.advance(by: 10)
        try await write(stores[index], stepCount: 2, &random)
        guard random.chance(20) else { continue }
        try await stores[index].catchUp(with: stores[(index + 1) % stores.count])
      }
    }
    let before = try await statuses(in: stores)
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    for store in stores { try await reference.catchUp(with: store) }
    let conflicts = try await reference.conflicts()
    try await expectUnseenDeaths(before, in: conflicts, reference)
    try await compareOrders(names, reference, conflicts)
    for store in stores { try await store.close() }
    return conflicts.count { $0.kind == .death }
  }

  /// A commit that does something to every graph.
  private func write(
    _ store: any Backend,
    stepCount: Int,
    _ random: inout SplitMix64
  ) async throws {
    var operations: [VarveTestSupport.Operation] = []
    for graph in 0..<graphCount {
      for _ in 0..<stepCount { operations.append(operation(graph, &random)) }
    }
    _ = try await store.write(WriteRequest()) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
  }

  private func operation(_ graph: Int, _ random: inout SplitMix64) -> VarveTestSupport.Operation {
    let one = id(graph, Int.random(in: 0..<5, using: &random))
    let two = id(graph, Int.random(in: 0..<5, using: &random))
    return switch Int.random(in: 0..<100, using: &random) {
    case ..<25: .create(Creation(one, "Thing"))
    case ..<55: .relate(one, Relation(.owns), two, nil)
    case ..<67: .unrelate(one, Relation(.owns), two)
    case ..<77: .set(one, Assignment("n", .int(Int64(graph))), time: nil)
    case ..<90: .erase(one)
    default: .restore(one)
    }
  }

  private func statuses(in stores: [any Backend]) async throws -> [[EntityID: EntityStatus]] {
    var all: [[EntityID: EntityStatus]] = []
    for store in stores { all.append(try await statuses(in: store)) }
    return all
  }

  private func statuses(in store: any Backend) async throws -> [EntityID: EntityStatus] {
    try await store.read(at: .now) { reader in
      var statuses: [EntityID: EntityStatus] = [:]
      for id in ids { statuses[id] = try await reader.status(of: id) }
      return statuses
    }
  }

  /// Expects that entities are listed which lived on all replicas that knew them, and are dead now.
  private func expectUnseenDeaths(
    _ before: [[EntityID: EntityStatus]],
    in conflicts: [Conflict],
    _ merged: any Backend
  ) async throws {
    let listed = Set(conflicts.filter { $0.kind == .death }.map(\.entity))
    for (id, status) in try await statuses(in: merged) {
      let earlier = before.compactMap { $0[id] }.filter { $0 != .unknown }
      let isDead = status == .dead || status == .erased
      if isDead, earlier.allSatisfy({ if case .live = $0 { true } else { false } }) {
        #expect(listed.contains(id), "seed \(seed), \(id)")
      }
      if !isDead { #expect(!listed.contains(id), "seed \(seed), \(id) lives") }
    }
  }

  private func compareOrders(
    _ names: [ReplicaID],
    _ reference: ReferenceBackend,
    _ conflicts: [Conflict]
  ) async throws {
    let expected = try await CanonicalExport(of: reference, ids: ids)
    let commits = try reference.arrivals()
    for order in permutations(names) {
      let store = try await memoryBackend(.random(), clock)
      for commit in arranged(commits, by: order) { _ = try await store.append([commit]) }
      let difference = try await expected.firstDifference(
        from: CanonicalExport(of: store, ids: ids)
      )
      #expect(difference == nil, "seed \(seed): \(difference ?? "")")
      #expect(try await store.conflicts() == conflicts, "seed \(seed)")
      #expect(try await store.check { _ in }.findings == [], "seed \(seed)")
      try await store.rebuild()
      #expect(try await store.conflicts() == conflicts, "seed \(seed), rebuilt")
      try await store.close()
    }
  }

  /// The commits of the first replica as early as may be, then of the second, and so on.
  private func arranged(_ commits: [Commit], by order: [ReplicaID]) -> [Commit] {
    var rest = commits.sorted { left, right in
      let (first, second) = (
        order.firstIndex(of: left.id.replica) ?? 0, order.firstIndex(of: right.id.replica) ?? 0
      )
      return first == second ? left.id.sequence < right.id.sequence : first < second
    }
    var done: Set<CommitID> = []
    var heads: [ReplicaID: Int64] = [:]
    var arranged: [Commit] = []
    while !rest.isEmpty {
      let next = rest.firstIndex { commit in
        heads[commit.id.replica] ?? 0 == commit.id.sequence - 1
          && commit.header.dependencies.allSatisfy(done.contains)
      }
      guard let next else { return arranged }
      let commit = rest.remove(at: next)
      done.insert(commit.id)
      heads[commit.id.replica] = commit.id.sequence
      arranged.append(commit)
    }
    return arranged
  }

  private func permutations(_ names: [ReplicaID]) -> [[ReplicaID]] {
    guard names.count > 1 else { return [names] }
    return names.flatMap { first in
      permutations(names.filter { $0 != first }).map { [first] + $0 }
    }
  }
}
