import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Retired replicas")
struct RetirementTests {
  private let clock = TestClock()

  private func pair() async throws -> (Store, Store) {
    let names = Fleet.replicas(count: 2, seed: 5)
    let one = Store(backend: try await memoryBackend(names[0], clock))
    let two = Store(
      backend: ReferenceBackend(replica: names[1], wallMilliseconds: clock.reading())
    )
    try await one.create("Hat", id: "one")
    try await two.create("Hat", id: "two")
    try await sync(one, two)
    return (one, two)
  }

  private func sync(_ one: Store, _ two: Store) async throws {
    clock.advance(by: 5)
    try await two.sync(with: one)
    clock.advance(by: 5)
  }

  private func state(of replica: ReplicaID, in stores: Store...) async throws -> [Replica.State] {
    var states: [Replica.State] = []
    for store in stores {
      states += try await store.replicas().filter { $0.id == replica }.map(\.state)
    }
    return states
  }

  @Test func `are listed with their writes, and so is one that wrote nothing yet`() async throws {
    let (one, two) = try await pair()
    try await one.set("one", "n", 1)
    let own = try await one.replica()
    for store in [one, two] {
      let replicas = try await store.replicas()
      #expect(replicas.count == 2)
      #expect(replicas.filter(\.isOwn).map(\.id) == [try await store.replica()])
      #expect(replicas.allSatisfy { $0.state == .active && $0.chainCount == 1 })
    }
    let listed = try #require(try await one.replicas().first { $0.id == own })
    #expect(listed.commitCount == 2 && listed.newestNumber == 2)
    #expect(listed.times.map { $0.lowerBound < $0.upperBound } == true)
    let empty = try await Store.open(.inMemory)
    #expect(try await empty.replicas().map(\.commitCount) == [0])
    try await empty.close()
  }

  @Test func `continue under a fresh id when they receive it, and lose nothing`() async throws {
    let (one, two) = try await pair()
    let retired = try await two.replica()
    try await one.retire(retired, author: "sam", message: "lost")
    try await sync(one, two)
    #expect(try await two.replica() != retired)
    #expect(try await state(of: retired, in: one, two) == [.retired, .retired])
    try await two.create("Hat", id: "later")
    try await sync(one, two)
    #expect(try await one.entity("later") != nil)
    #expect(try await state(of: retired, in: one, two) == [.retired, .retired])
    #expect(try await one.replicas().count == 3)
    #expect(try await one.check().findings == [])
  }

  @Test func `retired replicas that wrote meanwhile have returned, and their writes count`()
    async throws
  {
    let (one, two) = try await pair()
    let retired = try await two.replica()
    try await one.retire(retired)
    try await two.create("Hat", id: "meanwhile")
    try await sync(one, two)
    #expect(try await one.entity("meanwhile") != nil)
    #expect(try await two.replica() != retired)
    #expect(try await state(of: retired, in: one, two) == [.returned, .returned])
    // A replica that has seen the return may retire it again.
    try await one.retire(retired)
    try await sync(one, two)
    #expect(try await state(of: retired, in: one, two) == [.retired, .retired])
  }

  @Test func `retired replicas may be the own one: the last commit under the id records it`()
    async throws
  {
    let (one, two) = try await pair()
    for store in [one, two] {
      let retired = try await store.replica()
      try await store.retire(retired)
      #expect(try await store.replica() != retired)
      try await sync(one, two)
      #expect(try await state(of: retired, in: one, two) == [.retired, .retired])
      try await store.set("one", "n", 2)
      try await sync(one, two)
      #expect(try await state(of: retired, in: one, two) == [.retired, .retired])
    }
    #expect(try await one.check().findings == [])
  }

  @Test func `retired replicas are not when it is undone, and strangers cannot be retired`()
    async throws
  {
    let (one, two) = try await pair()
    let retired = try await two.replica()
    try await one.retire(retired)
    let commit = try #require(try await one.log(limit: 1).first)
    try await one.undo(commit.id)
    #expect(try await state(of: retired, in: one) == [.active])
    try await sync(one, two)
    #expect(try await two.replica() == retired)
    do {
      try await one.retire(.random())
      Issue.record("a stranger was retired")
    } catch let error as VarveError {
      #expect(error.code == .notFound)
    }
  }

  @Test func `change their id when the store opens, if they had received it and crashed`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("retired.varve")
    let store = try await Store.open(path)
    try await store.create("Hat", id: "hat")
    let retired = try await store.replica()
    try await store.create("VarveReplica", id: EntityID("varve.replica/\(retired)"), ["through": 2])
    try await store.close()
    let again = try await Store.open(path)
    #expect(try await again.replica() != retired)
    try await again.set("hat", "n", 1)
    #expect(try await again.check().findings == [])
    #expect(try await again.replicas().map(\.state).filter { $0 == .retired }.count == 1)
    try await again.close()
  }
}
