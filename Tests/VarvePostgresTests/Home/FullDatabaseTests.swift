#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "A database without space",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct FullDatabaseTests {
  @Test(arguments: ["blocks", "arrivals", "spaces"]
  )
  func `refuses writes without a trace, replies to reads, and takes writes once it has space`(
    table: String
  ) async throws {
    let home = try await PostgresHome(PostgresCluster.url())
    let name = "\(SpaceID.random())"
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    try await store.create("Hat", id: "before")
    let space = try #require(try await home.spaces().first { $0.name == name }).id
    let trigger = "full_\(space.text.replacing("-", with: "_"))"
    try await home.administer([
      """
      CREATE FUNCTION \(trigger)() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$
      """,
      """
      CREATE TRIGGER \(trigger) BEFORE INSERT OR UPDATE ON varve.\(table) FOR EACH ROW
      WHEN (NEW.space = '\(space)') EXECUTE FUNCTION \(trigger)()
      """,
    ])
    let refused = await code { _ = try await store.create("Hat", id: "hat") }
    let refusedClosure = await code {
      try await store.write { _ = try await $0.create("Hat", id: "hat") }
    }
    // A small commit has its block in the row of its header.
    if table != "blocks" { #expect([refused, refusedClosure] == [.diskFull, .diskFull]) }
    #expect(try await store.entity("before") != nil)
    try await home.administer([
      "DROP TRIGGER \(trigger) ON varve.\(table)", "DROP FUNCTION \(trigger)",
    ])
    let hadHat = try await store.entity("hat") != nil
    #expect(hadHat == ([refused, refusedClosure].contains { $0 == nil }))
    try await store.create("Hat", id: "after")
    let other = try await Store.open(
      .space(name, at: PostgresHome(PostgresCluster.url()), index: .inMemory)
    )
    #expect(try await other.frontier() == store.frontier())
    #expect(try await other.check().findings == [])
    for store in [store, other] { try await store.close() }
  }

  private func code(_ body: () async throws -> Void) async -> VarveError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? VarveError)?.code
    }
  }
}
#endif
