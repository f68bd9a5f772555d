#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "Writes that share a turn",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct GroupTests {
  private let name = "\(SpaceID.random())"

  private func open(_ home: PostgresHome) async throws -> Store {
    try await Store.open(.space(name, at: home, index: .inMemory))
  }

  @Test
  func `are commits of their own in one transaction of the database, in the order of observers`()
    async throws
  {
    let home = try await PostgresHome(PostgresCluster.url())
    let store = try await open(home)
    let changes = try await store.changes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await store.create("Hat", id: EntityID("\(number)"), ["n": 1]) }
      }
      try await group.waitForAll()
    }
    #expect(try await store.log().count == 100)
    #expect(try await store.check().findings == [])
    let counts = try await home.administer([
      """
      SELECT count(DISTINCT arrivals.xmin::text) FROM varve.arrivals JOIN varve.names USING (space)
      WHERE name = '\(name)'
      """
    ])
    #expect(try #require(counts) < 100)
    var seen: [EntityID] = []
    while let set = changes.poll() { seen += set.added }
    #expect(Set(seen).count == 100)
    let other = try await open(try await PostgresHome(PostgresCluster.url()))
    #expect(try await other.types().first?.count == 100)
    #expect(try await other.frontier() == store.frontier())
    #expect(try await other.check().findings == [])
    for store in [store, other] { try await store.close() }
  }

  @Test func `fail alone: one that is refused, or whose caller has gone, leaves no trace`()
    async throws
  {
    let home = try await PostgresHome(PostgresCluster.url())
    let store = try await open(home)
    try await store.create("Hat", id: "taken")
    let refusals = await withTaskGroup(of: VarveError.Code?.self) { group in
      for number in 0..<60 {
        group.addTask {
          do {
            if number % 3 == 0 {
              try await store.create("Hat", id: "taken", ["n": 2])
            } else {
              try await store.create("Hat", id: EntityID("\(number)"), ["n": 1])
            }
            return nil
          } catch {
            return (error as? VarveError)?.code
          }
        }
      }
      return await group.reduce(into: [VarveError.Code]()) { if let code = $1 { $0.append(code) } }
    }
    #expect(refusals == Array(repeating: .duplicateIdentifier, count: 20))
    let cancelled = (0..<30).map { number in
      let task = Task { try await store.create("Cap", id: EntityID("cap-\(number)")) }
      if number % 2 == 0 { task.cancel() }
      return task
    }
    var kept = 0
    for task in cancelled where (try? await task.value) != nil { kept += 1 }
    #expect(try await store.log().count == 1 + 40 + kept)
    #expect(try await store.types().map(\.count) == [kept, 41])
    #expect(try await store.entity("taken")?["n"] == nil)
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test func `are busy together if another holds the turn, and go on when it has ended`()
    async throws
  {
    let home = try await PostgresHome(PostgresCluster.url())
    var configuration = Store.Configuration()
    configuration.writerPatience = .milliseconds(300)
    let store = try await Store.open(
      .space(name, at: home, index: .inMemory),
      configuration: configuration
    )
    let space = try #require(try await home.spaces().first { $0.name == name })
    let other = try await PostgresHome(PostgresCluster.url()).log(of: space.id)
    try await other.exclusively(patienceMilliseconds: 1_000) { _ in
      await withTaskGroup(of: VarveError.Code?.self) { group in
        for number in 0..<4 {
          group.addTask {
            await failure { try await store.create("Hat", id: EntityID("\(number)")) }?.code
          }
        }
        for await code in group { #expect(code == .busy) }
      }
    }
    try await store.create("Hat", id: "hat")
    #expect(try await store.log().count == 1)
    try await store.close()
  }

  @Test func `wait for no closure of another caller, and no closure waits for them`() async throws {
    let store = try await open(try await PostgresHome(PostgresCluster.url()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          guard number % 2 == 0 else {
            try await store.create("Hat", id: EntityID("\(number)"))
            return
          }
          try await store.write { tx in
            let count = try await tx.types().first { $0.type == "Hat" }?.count ?? 0
            try await tx.create("Hat", id: EntityID("\(number)"), ["before": .int(Int64(count))])
          }
        }
      }
      try await group.waitForAll()
    }
    // Each closure saw all that came before it.
    let hats = try await store.fetch(Query("Hat"))
    let counts = hats.compactMap { $0["before"] }
    #expect(hats.count == 40)
    #expect(Set(counts).count == 20)
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  private func failure(_ body: () async throws -> Void) async -> VarveError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? VarveError
    }
  }
}
#endif
