#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "Connections to the home",
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct ConnectionLimitTests {
  @Test func `are no more than the limit, the one that listens included`() async throws {
    let name = "\(SpaceID.random())"
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 3
    let url = try await PostgresCluster.url(application: name)
    let home = try await PostgresHome(url, configuration: configuration)
    let observer = try await PostgresHome(PostgresCluster.url())
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    let other = try await Store.open(.space(name + "-2", at: home, index: .inMemory))
    let counting = Task {
      var most: Int64 = 0
      while !Task.isCancelled {
        let count = try? await observer.administer([
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'"
        ])
        most = max(most, count ?? 0)
      }
      return most
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let id = try EntityID("\(number)")
          try await (number % 2 == 0 ? store : other).create("Hat", id: id)
          try await store.followHome()
        }
      }
      try await group.waitForAll()
    }
    counting.cancel()
    let most = await counting.value
    #expect((2...3).contains(most), "\(most)")
    for store in [store, other] { try await store.close() }
    for home in [home, observer] { await home.close() }
  }

  @Test func `that the server refuses because it is full are waited for`() async throws {
    let cluster = try await PostgresCluster([
      "max_connections=14", "superuser_reserved_connections=1",
    ])
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 8
    let names = (0..<4).map { "hats-\($0)" }
    // More connections are wanted than there are, and every write succeeds.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask { [configuration] in
          let home = try await PostgresHome(cluster.url, configuration: configuration)
          var options = Store.Configuration()
          options.writerPatience = .seconds(60)
          let store = try await Store.open(
            .space(name, at: home, index: .inMemory),
            configuration: options
          )
          try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
              group.addTask {
                try await store.write { try await $0.create("Hat", id: EntityID("\(number)")) }
                try await store.followHome()
              }
            }
            try await group.waitForAll()
          }
          #expect(try await store.types().first?.count == 20)
          try await store.close()
          await home.close()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `whose host is stopped while it reads are ended, and their snapshots with them`()
    async throws
  {
    let name = "\(SpaceID.random())"
    let observer = try await PostgresHome(PostgresCluster.url())
    let store = try await Store.open(.space(name, at: observer, index: .inMemory))
    try await store.create("Hat", id: "hat")
    let space = try #require(try await observer.spaces().first { $0.name == name })
    let proxy = try CuttingProxy(to: try await PostgresCluster.shared.value.folder)
    let url = try await PostgresCluster.shared.value.url(proxy.folder) + "&application_name=\(name)"
    var configuration = PostgresHome.Configuration()
    configuration.turnTimeout = .milliseconds(500)
    configuration.patience = .seconds(300)
    var silences = 0
    for count in 0..<6 {
      let home = try await PostgresHome(url, configuration: configuration)
      let log = try await home.log(of: space.id)
      proxy.arm(count, .silently)
      let reading = Task { _ = try await log.arrivals(after: nil) { _ in } }
      // What is armed is cut soon, or the reader was done before.
      try await Task.sleep(for: .milliseconds(200))
      silences += proxy.disarm() ? 1 : 0
      let end = ContinuousClock.now + .seconds(20)
      while try await sessions(of: name, observer) > 0, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try await sessions(of: name, observer) == 0, "stopped before message \(count)")
      reading.cancel()
      _ = await reading.result
      await home.close()
    }
    #expect(silences >= 3, "\(silences)")
    try await store.close()
    await observer.close()
  }

  /// Returns the number of sessions that hold a snapshot or wait in a transaction.
  private func sessions(of name: String, _ observer: PostgresHome) async throws -> Int64 {
    try await observer.administer([
      """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'
        AND (state LIKE 'idle in transaction%' OR backend_xmin IS NOT NULL)
      """
    ]) ?? 0
  }
}
#endif
