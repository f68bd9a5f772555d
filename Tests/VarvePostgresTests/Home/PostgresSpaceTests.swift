#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "Spaces in PostgreSQL",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct PostgresSpaceTests {
  @Test func `are opened as stores by their names, and created if they are missing`() async throws {
    let name = "\(SpaceID.random())"
    let homes = [try await home(), try await home()]
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    let missing = await failure {
      _ = try await Store.open(
        .space(name, at: homes[0], index: .inMemory),
        configuration: configuration
      )
    }
    #expect(missing?.code == .notFound)
    let one = try await Store.open(.space(name, at: homes[0], index: .inMemory))
    let two = try await Store.open(.space(name, at: homes[1], index: .inMemory))
    try await one.create("Hat", id: "hat", ["size": 12])
    try await two.followHome()
    #expect(try await two.entity("hat")?["size"] == 12)
    try await two.set("hat", "size", 13)
    let position = try #require(try await two.position())
    let sent = try #require(Store.Position(position.description))
    try await one.followHome(atLeast: sent)
    #expect(try await one.entity("hat")?["size"] == 13)
    for store in [one, two] { try await store.close() }
    for home in homes { await home.close() }
  }

  @Test func `keep history for as long as the clock of the home says, not that of a host`()
    async throws
  {
    let home = try await home()
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = {
      Int64(Date().timeIntervalSince1970 * 1_000) + 90 * 86_400_000
    }
    let store = try await Store.open(
      .space("\(SpaceID.random())", at: home, index: .inMemory),
      configuration: configuration
    )
    try await store.create("Hat", id: "hat", ["size": 1])
    try await store.set("hat", "size", 2)
    try await Task.sleep(for: .seconds(1.5))
    let kept = Duration.seconds(90 * 86_400 + 1)
    #expect(try await store.compact(keeping: kept).cellCount == 0)
    #expect(try await store.compact(keeping: .seconds(1)).cellCount == 1)
    try await store.close()
    await home.close()
  }

  @Test func `whose names are claimed by many hosts at once are created once`() async throws {
    let name = "\(SpaceID.random())"
    let homes = [try await home(), try await home(), try await home()]
    // Twelve writers wait for one another, on a machine that may do other work.
    var configuration = Store.Configuration()
    configuration.writerPatience = .seconds(60)
    let positions = try await withThrowingTaskGroup(of: SpaceID.self) { group in
      for number in 0..<12 {
        group.addTask { [configuration] in
          let home = homes[number % homes.count]
          let store = try await Store.open(
            .space(name, at: home, index: .inMemory),
            configuration: configuration
          )
          try await store.create("Hat", id: EntityID("\(number)"))
          try await store.close()
          return try await home.spaces().first { $0.name == name }?.id ?? .random()
        }
      }
      return try await group.reduce(into: Set<SpaceID>()) { $0.insert($1) }
    }
    #expect(positions.count == 1)
    let store = try await Store.open(.space(name, at: homes[0], index: .inMemory))
    #expect(try await store.types().first?.count == 12)
    try await store.close()
  }

  @Test func `spaces in PostgreSQL end for good, and their names can be used again`() async throws {
    let home = try await home()
    let name = "\(SpaceID.random())"
    let space = try await home.create(name)
    let refusal = await failure { _ = try await home.create(name) }
    #expect(refusal?.code == .duplicateIdentifier)
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    try await store.create("Hat", id: "hat")
    try await home.end(space.id)
    let ended = await failure { try await store.set("hat", "size", 1) }
    #expect(ended?.code == .notFound)
    #expect(await failure { try await home.end(space.id) }?.code == .notFound)
    #expect(try await home.create(name).id != space.id)
  }

  @Test func `stamp commits by the database's clock, whatever the clocks of hosts show`()
    async throws
  {
    let home = try await home()
    let before = try await home.administer(["SELECT (extract(epoch FROM now()) * 1000)::bigint"])
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = { SystemClock.millisecondsSince1970() + 3_600_000 }
    let store = try await Store.open(
      .space("\(SpaceID.random())", at: home, index: .inMemory),
      configuration: configuration
    )
    try await store.create("Hat", id: "hat")
    let after = try await home.administer(["SELECT (extract(epoch FROM now()) * 1000)::bigint"])
    let stamp = try #require(try await store.log().first).time.millisecondsSince1970
    let range = try #require(before)...(try #require(after) + 1)
    #expect(range.contains(stamp))
  }

  @Test func `spaces in PostgreSQL follow each other's writes without being asked`() async throws {
    let homes = [try await home(), try await home()]
    let name = "\(SpaceID.random())"
    let one = try await Store.open(.space(name, at: homes[0], index: .inMemory))
    let two = try await Store.open(.space(name, at: homes[1], index: .inMemory))
    for number in 0..<5 {
      try await one.create("Hat", id: EntityID("\(number)"))
      while try await two.entity(EntityID("\(number)")) == nil {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    for store in [one, two] { try await store.close() }
  }

  @Test func `are not opened in a database that is no home, or has newer tables`() async throws {
    let cluster = try await PostgresCluster.shared.value
    let home = try await home()
    try await home.administer(outside: "CREATE DATABASE bare TEMPLATE template0")
    let bare = cluster.url.replacing("/varve?", with: "/bare?")
    #expect(await failure { _ = try await PostgresHome(bare) }?.code == .notAStore)
    #expect(try await PostgresHome.prepare(bare))
    #expect(try await !PostgresHome.prepare(bare))
    let prepared = try await PostgresHome(bare)
    try await prepared.administer(["INSERT INTO varve.migrations (number) VALUES (999)"])
    #expect(await failure { _ = try await PostgresHome(bare) }?.code == .newerFormat)
  }

  @Test
  func `move to another home with their ids, while they are written, and end where they were`()
    async throws
  {
    let home = try await home()
    try await home.administer(outside: "CREATE DATABASE elsewhere TEMPLATE template0")
    let url = try await PostgresCluster.url().replacing("/varve?", with: "/elsewhere?")
    try await PostgresHome.prepare(url)
    let other = try await PostgresHome(url)
    let name = "\(SpaceID.random())"
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    for number in 0..<20 {
      try await store.create("Hat", id: EntityID("\(number)"), ["secret": "plain secret"])
    }
    try await store.purge(["3"])
    let space = try #require(try await home.spaces().first { $0.name == name })
    let log = try await home.log(of: space.id)
    _ = try await other.create(name, space.id, replica: log.head().replica)
    let writing = Task {
      var count = 0
      while (try? await store.set("1", "size", .int(Int64(count)))) != nil { count += 1 }
      return count
    }
    try await SpaceMove.run(from: log, to: other.log(of: space.id)) { finish in
      try await home.end(space.id) { head, _ in
        try await finish(head)
        return nil
      }
    }
    let count = await writing.value
    let moved = try await Store.open(.space(name, at: other, index: .inMemory))
    #expect(try await moved.types().first?.count == 19)
    #expect(try await moved.entity("1")?["size"] == (count == 0 ? nil : .int(Int64(count - 1))))
    #expect(try await moved.check().findings == [])
    #expect(try await HomeCheck.run(on: other).allFindings == [])
  }

  private func home() async throws -> PostgresHome {
    try await PostgresHome(try await PostgresCluster.url())
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
