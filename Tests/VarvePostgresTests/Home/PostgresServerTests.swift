#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

/// What happens to hosts when their server ends sessions or stops.
@Suite(
  "A PostgreSQL server",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct PostgresServerTests {
  @Test func `that ended all idle sessions is connected to again, without an error`() async throws {
    let home = try await PostgresHome(PostgresCluster.url())
    let name = "\(SpaceID.random())"
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    try await store.create("Hat", id: "hat", ["size": 0])
    let other = try await PostgresHome(PostgresCluster.url(application: name))
    let index = try await Store.open(.space(name, at: other, index: .inMemory))
    for number in 1...3 {
      try await home.administer([
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = '\(name)'
        """
      ])
      try await index.set("hat", "size", .int(Int64(number)))
    }
    try await store.followHome()
    #expect(try await store.entity("hat")?["size"] == 3)
  }

  @Test(arguments: [true, false]
  )
  func `a session that lacks prepared statements, or has them already, is used without`(
    isForgetful: Bool
  ) async throws {
    // As behind a pooler that shows the numbers of its sessions.
    let name = "\(SpaceID.random())"
    let other = try await PostgresHome(PostgresCluster.url())
    let space = try await other.create(name)
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 2
    let home = try await PostgresHome(PostgresCluster.url(), configuration: configuration)
    if isForgetful {
      _ = try await home.log(of: space.id)
      try await home.administer(outside: "DEALLOCATE ALL")
    } else {
      for statement in [HomeStatement.head, .configure, .lock, .notes] {
        let text = statement.rawValue
        try await home.administer(outside: "PREPARE \(StatementName(of: text).text) AS \(text)")
      }
    }
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    try await store.create("Hat", id: "hat")
    try await store.followHome()
    #expect(try await store.types().first?.count == 1)
    #expect(try await HomeCheck.run(on: other).spaces.first { $0.name == name }?.findings == [])
    try await store.close()
    for home in [home, other] { await home.close() }
  }

  @Test func `that keeps fewer blocks than were written commits nothing of the write`() async throws
  {
    let cluster = try await PostgresCluster()
    let home = try await PostgresHome(cluster.url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    try await store.create("Hat", id: "hat", ["size": 1])
    // As a pooler did that executed another statement in place of the one that adds blocks.
    try await home.administer([
      "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
      """
      CREATE TRIGGER swallow BEFORE INSERT ON varve.blocks
      FOR EACH ROW EXECUTE FUNCTION swallow()
      """,
    ])
    let error = await #expect(throws: VarveError.self) { try await store.set("hat", "size", 2) }
    #expect(error?.code == .damaged, "\(error as Any)")
    #expect(try await store.entity("hat")?["size"] == 1)
    try await home.administer(["DROP TRIGGER swallow ON varve.blocks"])
    #expect(try await HomeCheck.run(on: home).allFindings == [])
    try await store.set("hat", "size", 3)
    #expect(try await store.entity("hat")?["size"] == 3)
    #expect(try await store.check().findings == [])
    try await store.close()
    await home.close()
  }

  @Test func `ends the turn of a host that shows no sign of life, which cannot commit afterwards`()
    async throws
  {
    let name = "\(SpaceID.random())"
    let home = try await PostgresHome(PostgresCluster.url(application: name))
    let other = try await PostgresHome(PostgresCluster.url())
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    try await store.create("Hat", id: "hat", ["size": 0])
    let index = try await Store.open(.space(name, at: other, index: .inMemory))
    let error = await #expect(throws: VarveError.self) {
      try await store.write { transaction in
        try await transaction.set("hat", "size", 1)
        // As the server's own limit does.
        try await other.administer([
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = '\(name)' AND state LIKE 'idle in transaction%'
          """
        ])
        try await index.set("hat", "size", 2)
      }
    }
    #expect([.busy, .inputOutput].contains(error?.code), "\(error as Any)")
    try await store.followHome()
    #expect(try await store.entity("hat")?["size"] == 2)
    #expect(try await store.check().findings == [])
  }

  @Test func `is followed by many who come and go while heads rise, and holds nobody up`()
    async throws
  {
    let home = try await PostgresHome(PostgresCluster.url())
    let name = "\(SpaceID.random())"
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    let space = try #require(try await home.spaces().first { $0.name == name })
    let log = try await home.log(of: space.id)
    for number in 0..<60 {
      let followers = (0..<8).map { _ in Task { for await _ in log.heads() {} } }
      let writing = Task { try await store.create("Hat", id: EntityID("\(number)")) }
      for follower in followers {
        await Task.yield()
        follower.cancel()
      }
      _ = try await writing.value
      for follower in followers { await follower.value }
    }
    try await store.close()
    await home.close()
  }
}
#endif
