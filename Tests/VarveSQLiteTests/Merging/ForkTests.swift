import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Copied files (R12)")
struct ForkTests {
  private let clock = TestClock()
  private let ids: [EntityID] = ["shop", "hat", "left", "right", "later"]

  @Test func `that both continue lose nothing, agree, and write under new ids`() async throws {
    let scratch = try Scratch()
    try await makeStore(scratch.path("left"))
    try copyStore(scratch.path("left"), to: scratch.path("right"))
    let left = try await openBackend(scratch.path("left"), clock: clock)
    let right = try await openBackend(scratch.path("right"), clock: clock)
    let replica = try await left.replica()
    #expect(try await right.replica() == replica)
    for (backend, name) in [(left, "left"), (right, "right")] {
      clock.advance(by: 10)
      try await backend.create(EntityID(name), "Hat", ["name": .string(name)])
      try await backend.set("hat", "color", .string(name))
      try await backend.set("hat", PropertyKey("only \(name)"), true)
    }
    try await right.write([.erase("shop")])
    // The same numbers name different commits.
    let heads = (try await left.frontier().heads, try await right.frontier().heads)
    #expect(heads.0.map(\.sequence) == [5] && heads.1.map(\.sequence) == [6])

    let forward = try await left.catchUp(with: right)
    let backward = try await right.catchUp(with: left)
    #expect(forward.addedCount == 4 && backward.addedCount == 3)
    for (backend, report) in [(left, forward), (right, backward)] {
      #expect(try await report.replacedReplica == backend.replica())
      #expect(try await backend.replica() != replica)
      for id in ["left", "right"] {
        #expect(try await backend.value(EntityID(id), "name") == .string(id))
      }
      #expect(try await backend.value("hat", "color") == nil)
    }
    try await expectAgreement(left, right)

    // Both copies continue, and so does a copy of a store that has continued already.
    clock.advance(by: 10)
    for (backend, name) in [(left, "left"), (right, "right")] {
      try await backend.write([.restore("shop")])
      try await backend.set("hat", "color", .string("\(name) again"))
    }
    try await left.catchUp(with: right)
    try await right.catchUp(with: left)
    try await expectAgreement(left, right)
    try await left.close()
    try await right.close()
    let again = try await openBackend(scratch.path("left"), clock: clock)
    try await again.create("later", "Hat")
    try await again.expectFold(ids, clock: clock)
    try await again.close()
  }

  @Test func `list entities that both created in the same millisecond in the same order`()
    async throws
  {
    for _ in 0..<4 {
      let scratch = try Scratch()
      try await makeStore(scratch.path("left"))
      try copyStore(scratch.path("left"), to: scratch.path("right"))
      let left = try await openBackend(scratch.path("left"), clock: clock)
      let right = try await openBackend(scratch.path("right"), clock: clock)
      clock.advance(by: 10)
      try await left.create("left", "Cap")
      try await right.create("right", "Cap")
      let heads = (try await left.frontier().heads, try await right.frontier().heads)
      #expect(heads.0.map(\.sequence) == heads.1.map(\.sequence) && heads.0 != heads.1)
      try await left.catchUp(with: right)
      try await right.catchUp(with: left)
      let caps = Query("Cap")
      let one = try await left.read(at: .now) { try await $0.fetch(caps).map(\.id) }
      let other = try await right.read(at: .now) { try await $0.fetch(caps).map(\.id) }
      #expect(one == other && one.count == 2)
      for backend in [left, right] {
        #expect(try await backend.findings() == [])
        try await backend.close()
      }
    }
  }

  @Test(arguments: [false, true]
  )
  func `that are older catch up with the newer, whether or not they wrote`(doesWrite: Bool)
    async throws
  {
    let scratch = try Scratch()
    let (newer, backup) = (scratch.path("newer"), scratch.path("backup"))
    try await makeStore(newer)
    try copyStore(newer, to: backup)
    var left = try await openBackend(newer, clock: clock)
    for n in 0..<5 { try await left.set("hat", "n", .int(Int64(n))) }
    try await left.close()

    let right = try await openBackend(backup, clock: clock)
    let replica = try await right.replica()
    if doesWrite {
      for n in 10..<13 { try await right.set("hat", "n", .int(Int64(n))) }
    }
    left = try await openBackend(newer, clock: clock)
    let report = try await right.catchUp(with: left)
    #expect(report.addedCount == 5)
    #expect(report.replacedReplica != nil)
    #expect(try await right.replica() != replica)
    try await right.set("hat", "restored", true)
    let returned = try await left.catchUp(with: right)
    #expect(returned.addedCount == (doesWrite ? 4 : 1))
    #expect((returned.replacedReplica != nil) == doesWrite)
    try await left.set("hat", "kept", true)
    try await right.catchUp(with: left)
    try await expectAgreement(left, right)
    try await left.close()
    try await right.close()
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `copied files (R12) of copies of copies meet in any order`(seed: UInt64) async throws {
    let scratch = try Scratch()
    try await makeStore(scratch.path("0"))
    var random = SplitMix64(seed: seed)
    var stores: [SQLiteBackend] = []
    for n in 1..<5 {
      try copyStore(scratch.path("\(n - 1)"), to: scratch.path("\(n)"))
      let before = try await openBackend(scratch.path("\(n - 1)"), clock: clock)
      try await before.set("hat", "n", .int(Int64(n)))
      try await before.close()
    }
    for n in 0..<5 { stores.append(try await openBackend(scratch.path("\(n)"), clock: clock)) }
    for round in 0..<30 {
      let store = random.pick(stores)
      clock.advance(by: 1)
      if random.chance(40) {
        try await store.set("hat", random.pick(["n", "m", "color"]), .int(Int64(round)))
      } else {
        try await store.catchUp(with: random.pick(stores))
      }
    }
    for _ in 0..<2 {
      for from in stores {
        for into in stores where into !== from { try await into.catchUp(with: from) }
      }
    }
    for store in stores.dropFirst() { try await expectAgreement(stores[0], store, deeply: false) }
    try await stores[Int(seed) % 5].expectFold(ids, clock: clock)
    for store in stores { try await store.close() }
  }

  @Test func `were seen, up to their branching, by commits that had seen one of their branches`()
    async throws
  {
    var (one, author) = (ScriptedReplica(1), ScriptedReplica(2))
    let hat: EntityID = "hat"
    let created = one.commit(at: clock.now, [hat.isCreated()])
    var copy = one
    let first = one.commit(at: clock.now + 1, [hat.has("x", 1)])
    let branch = copy.commit(at: clock.now + 2, [hat.has("y", 1)])
    let erasure = author.commit(at: clock.now + 3, seen: [branch.id], [hat.says(.life(.erased))])
    // The branch that arrived first continues the chain; the later one is a new branch.
    for order in [[created, first, branch, erasure], [created, branch, first, erasure]] {
      let store = try await openBackend(clock: clock)
      let reference = ReferenceBackend(wallMilliseconds: clock.reading())
      for backend in [store, reference] as [any Backend] { _ = try await backend.append(order) }
      #expect(try await store.conflicts() == reference.conflicts())
      #expect(try await store.conflicts().flatMap(\.versions).compactMap(\.key) == ["x"])
      #expect(try await store.findings() == [])
      try await store.close()
    }
  }

  /// Expects both stores to agree with each other and with a fold of their commits, and to have no
  /// findings.
  private func expectAgreement(
    _ left: SQLiteBackend,
    _ right: SQLiteBackend,
    deeply isDeep: Bool = true
  ) async throws {
    let exports = (
      try await CanonicalExport(of: left, ids: ids), try await CanonicalExport(of: right, ids: ids)
    )
    #expect(exports.0.firstDifference(from: exports.1) == nil)
    let logs = (try await left.allCommits().map(\.id), try await right.allCommits().map(\.id))
    #expect(logs.0 == logs.1)
    #expect(try await left.frontier() == right.frontier())
    guard isDeep else { return }
    let moments = try await left.allCommits().map {
      Moment.time($0.header.time.endOfMillisecond)
    }
    for backend in [left, right] { try await backend.expectFold(ids, at: moments, clock: clock) }
  }

  private func makeStore(_ path: String) async throws {
    let backend = try await openBackend(path, clock: clock)
    try await backend.create("shop", "Shop", ["name": "Chapeau"])
    try await backend.write([
      .create(Creation("hat", "Hat", [Assignment("color", "red")])),
      .relate("shop", Relation(.owns), "hat", nil),
    ])
    try await backend.close()
  }

  /// Copies the file of a store that is not open.
  private func copyStore(_ path: String, to copy: String) throws {
    try FileManager.default.copyItem(atPath: path, toPath: copy)
  }
}
