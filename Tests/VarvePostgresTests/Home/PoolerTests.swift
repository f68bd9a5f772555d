#if CommandLine && Server
import Foundation
import Synchronization
import Testing
import VarveClient
import VarveCore
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

@Suite(
  "A PgBouncer before the home",
  .serialized,
  .enabled(if: Pooler.absence == nil, "PgBouncer or PostgreSQL is not installed: make setup-tests")
)
struct PoolerTests {
  private static let cluster = Task { try await PostgresCluster() }

  @Test(
    arguments: Pooler.Mode.allCases
  )
  func `keeps everything that was acknowledged while hosts write, and spaces come and go`(
    mode: Pooler.Mode
  ) async throws { try await play(mode, for: .seconds(5)) }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] != nil),
    arguments: Pooler.Mode.allCases
  )
  func `a PgBouncer before the home keeps it for longer`(mode: Pooler.Mode) async throws {
    try await play(mode, for: .seconds(60))
  }

  @Test(
    arguments: Pooler.Mode.allCases
  )
  func `keeps one order of the membership of a sealed space that two hosts keep`(
    mode: Pooler.Mode
  ) async throws {
    let cluster = try await Self.cluster.value
    let pooler = try await Pooler(mode, to: cluster, sessionCount: mode == .transaction ? 5 : 20)
    let (one, two) = (try await HostProcess(pooler.url), try await HostProcess(pooler.url))
    let team = try SealedMembers()
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one, as: .admin)
    for _ in 0..<4 {
      for store in [ana, ben] { try await store.rotateEpoch() }
      async let first = ana.sync(with: team.space(at: one))
      async let second = ben.sync(with: team.space(at: two))
      _ = try await (first, second)
      try await ben.create("Hat", ["color": "red"])
    }
    for store in [ana, ben, ana, ben] { try await store.sync(with: team.space(at: two)) }
    let (of, held) = (try await ana.entries, try await ben.entries)
    #expect(of == held && of.count > 8)
    #expect(try await ana.types().map(\.count) == [4])
    let home = try await PostgresHome(pooler.url)
    let check = try await HomeCheck.run(on: home).spaces.first { $0.name == team.name }
    #expect(check?.findings == [])
    await home.close()
    for store in [ana, ben] { try await store.close() }
    for host in [one, two] { try await host.end() }
  }

  /// What was written.
  private final class Acknowledged: Sendable {
    let ids = Mutex(Set<EntityID>())
  }

  /// Two hosts write to one space, while others are created, written to and ended by both.
  private func play(_ mode: Pooler.Mode, for time: Duration) async throws {
    let cluster = try await Self.cluster.value
    // Where sessions are fewer than connections, each connection meets those of others.
    let count = mode == .transaction ? 5 : 20
    let pooler = try await Pooler(mode, to: cluster, sessionCount: count)
    let name = "\(SpaceID.random())"
    let homes = [try await home(pooler.url), try await home(pooler.url)]
    var stores: [Store] = []
    // Beside other tests, a turn may take longer than a writer waits by default.
    var configuration = Store.Configuration()
    configuration.writerPatience = .seconds(60)
    for home in homes {
      let space = SpaceLocation.space(name, at: home, index: .inMemory)
      stores.append(try await Store.open(space, configuration: configuration))
    }
    let end = ContinuousClock.now + time
    let acknowledged = Acknowledged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in (stores + stores).enumerated() {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            count += 1
            let id = try EntityID("\(number)-\(count)")
            try await store.create("Hat", id: id, ["text": .string("a hat of \(number)")])
            acknowledged.ids.withLock { _ = $0.insert(id) }
          }
        }
      }
      for (number, home) in homes.enumerated() {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            count += 1
            let other = "\(name)-\(number)-\(count)"
            let store = try await Store.open(.space(other, at: home, index: .inMemory))
            try await store.create("Cap", id: "cap")
            try await store.close()
            let space = try #require(try await home.spaces().first { $0.name == other })
            try await home.end(space.id)
          }
        }
      }
      try await group.waitForAll()
    }
    let all = acknowledged.ids.withLock { $0 }
    #expect(all.count > 20, "\(all.count) writes")
    let direct = try await home(cluster.url)
    #expect(try await HomeCheck.run(on: direct).allFindings == [])
    let fresh = try await Store.open(.space(name, at: direct, index: .inMemory))
    #expect(Set(try await fresh.fetch(Query("Hat")).map(\.id)) == all)
    for store in stores + [fresh] { try await store.close() }
    for home in homes + [direct] { await home.close() }
  }

  @Test(
    arguments: Pooler.Mode.allCases
  )
  func `lets hosts follow each other, without a session that listens`(mode: Pooler.Mode)
    async throws
  {
    let cluster = try await Self.cluster.value
    let pooler = try await Pooler(mode, to: cluster)
    let name = "\(SpaceID.random())"
    let (one, two) = (try await home(pooler.url), try await home(pooler.url))
    let writer = try await Store.open(.space(name, at: one, index: .inMemory))
    let reader = try await Store.open(.space(name, at: two, index: .inMemory))
    for number in 0..<3 {
      try await writer.create("Hat", id: EntityID("\(number)"))
      while try await reader.entity(EntityID("\(number)")) == nil {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let direct = try await home(cluster.url)
    // A session that listens for a client that has gone would gather announcements for nobody.
    let listening = try await direct.administer([
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    ])
    #expect(listening == 0)
    for store in [writer, reader] { try await store.close() }
    for home in [one, two, direct] { await home.close() }
  }

  private func home(_ url: String) async throws -> PostgresHome {
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 8
    configuration.pollingInterval = .milliseconds(200)
    return try await PostgresHome(url, configuration: configuration)
  }
}
#endif
