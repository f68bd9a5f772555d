#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "A home that is restored from a backup",
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct RestoredHomeTests {
  @Test
  func `while no host runs has another incarnation for the first host, also without an index`()
    async throws
  {
    let (url, administration) = try await database("restored")
    let before = try await write(url, ["1", "2"])
    try await administration.administer(
      outside: "CREATE DATABASE restored_backup TEMPLATE restored"
    )
    let later = try await write(url, ["3"])
    // Hosts that come and go are no restoration.
    #expect(later.head.incarnation == before.head.incarnation)
    try await administration.administer(outside: "DROP DATABASE restored")
    try await administration.administer(
      outside: "ALTER DATABASE restored_backup RENAME TO restored"
    )
    let after = try await write(url, ["4"])
    #expect(after.head.incarnation != before.head.incarnation)
    #expect(after.replica != before.replica)
    // Once: another host finds nothing new.
    #expect(try await write(url, ["5"]).head.incarnation == after.head.incarnation)
    let home = try await PostgresHome(url)
    #expect(try await HomeCheck.run(on: home).allFindings == [])
    await home.close()
    await administration.close()
  }

  @Test func `gets another incarnation by varve home restored, with which indexes go on`()
    async throws
  {
    let (url, administration) = try await database("restored_by_hand")
    let before = try await write(url, ["1"])
    let home = try await PostgresHome(url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    let told = try await HostProcess.varve("home", "restored", url)
    #expect(told.contains("1 space with a new incarnation"), "\(told)")
    try await store.create("Hat", id: "2")
    try await store.followHome()
    #expect(try await store.types().map(\.count) == [2])
    #expect(try await store.check().findings == [])
    let after = try await write(url, [])
    #expect(after.head.incarnation != before.head.incarnation)
    try await store.close()
    await home.close()
    await administration.close()
  }

  @Test func `whose note is about another copy gets another incarnation by the next host, once`()
    async throws
  {
    let (url, administration) = try await database("replaced")
    let home = try await PostgresHome(url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    try await store.create("Hat", id: "1")
    let before = try await write(url, [])
    // What a host finds where it knows another copy: the note of an earlier timeline.
    try await home.administer([
      "UPDATE varve.notes SET text = 'another', seal = NULL WHERE kind = 'home'"
    ])
    let after = try await write(url, [])
    #expect(after.head.incarnation != before.head.incarnation)
    #expect(try await store.types().map(\.count) == [1])
    try await store.close()
    await home.close()
    await administration.close()
  }

  /// Writes as a host that has no index before and none afterwards. Returns the head, and the
  /// replica under which hosts write.
  private func write(
    _ url: String,
    _ ids: [EntityID]
  ) async throws -> (head: HomePosition, replica: ReplicaID) {
    let home = try await PostgresHome(url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    for id in ids { try await store.create("Hat", id: id) }
    try await store.close()
    let space = try #require(try await home.spaces().first)
    let head = try await home.log(of: space.id).head()
    await home.close()
    return (head.position, head.replica)
  }

  /// Creates a home in a database of its own.
  private func database(_ name: String) async throws -> (url: String, PostgresHome) {
    let cluster = try await PostgresCluster.shared.value
    let administration = try await PostgresHome(cluster.url)
    try await administration.administer(outside: "CREATE DATABASE \(name) TEMPLATE template0")
    let url = cluster.url.replacing("/varve?", with: "/\(name)?")
    try await PostgresHome.prepare(url)
    return (url, administration)
  }
}
#endif
