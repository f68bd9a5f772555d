#if CommandLine && Server
import VarveCore
import VarvePostgres
import VarveServer
import VarveStore
import VarveTestSupport

/// A small home with everything that a home can have, in a database of its own: spaces with commits
/// of hosts and of a client, a withheld commit and its release, a purge, a large value, and notes.
final class CheckedHome: Sendable {
  let home: PostgresHome
  let url: String
  /// The spaces, the first of which has everything.
  let names = ["hats", "caps"]

  static let tables = ["names", "spaces", "arrivals", "blocks", "probes", "notes", "migrations"]

  /// Creates the database.
  init(_ database: String) async throws {
    let cluster = try await PostgresCluster.shared.value
    let administration = try await PostgresHome(cluster.url)
    try await administration.administer(outside: "DROP DATABASE IF EXISTS \(database)")
    try await administration.administer(outside: "CREATE DATABASE \(database) TEMPLATE template0")
    await administration.close()
    url = cluster.url.replacing("/varve?", with: "/\(database)?")
    try await PostgresHome.prepare(url)
    let clock = TestClock()
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 4
    configuration.wall = { [clock] _ in HybridTime(millisecondsSince1970: clock.now) }
    home = try await PostgresHome(url, configuration: configuration)
    try await fill(clock)
    try await note()
    try await home.administer(
      ["CREATE SCHEMA kept"]
        + Self.tables.map { "CREATE TABLE kept.\($0) AS SELECT * FROM varve.\($0)" }
    )
  }

  private func fill(_ clock: TestClock) async throws {
    let store = try await Store.open(.space(names[0], at: home, index: .inMemory))
    for number in 0..<4 {
      let text = "hat \(number)"
      try await store.create("Hat", id: EntityID("\(number)"), ["text": .string(text), "n": 1])
    }
    try await store.purge(["2"])
    var options = Store.Configuration()
    options.wallMilliseconds = { [clock] in clock.now + 40 * 86_400_000 }
    let client = try await Store.open(.inMemory, configuration: options)
    try await client.create("Hat", id: "of a client", ["n": 2])
    try await LogCaller.$current.withValue(LogCaller("ben", .admin)) {
      _ = try await store.merge(from: client)
    }
    clock.advance(by: 50 * 86_400_000)
    try await store.set("0", "n", 2)
    try await store.flush()
    try await store.close()
    let other = try await Store.open(.space(names[1], at: home, index: .inMemory))
    try await other.create("Cap", id: "cap", ["data": .data(.init(repeating: 7, count: 200_000))])
    try await other.close()
  }

  private func note() async throws {
    let principal = Principal(subject: "ben", grants: ["hats": .reader])
    _ = try await TokenFile.create("laptop", for: principal, at: .postgres(home))
    let receipt = """
      {"name":"gone","id":"\(SpaceID.random())","commits":1,"ended":true,\
      "time":"2026-11-26T00:00:00Z","by":null}
      """
    try await home.replace(HomeNote("ended", "gone", receipt))
  }

  /// Everything that is wrong with it.
  func findings() async throws -> [String] {
    try await HomeCheck.run(on: home).allFindings + HomeNotes.findings(at: .postgres(home))
  }

  /// The spaces of the home, with their heads and arrivals, and its notes.
  func answers() async throws -> [String] {
    var answers: [String] = []
    for space in try await home.spaces() {
      answers.append("\(space)")
      let log = try await home.log(of: space.id)
      answers.append("\(try await log.head())")
      _ = try await log.arrivals(after: nil) { answers.append("\($0)") }
    }
    for kind in ["token", "grant", "ended"] {
      answers += try await home.notes(kind).map { "\($0)" }
    }
    return answers
  }

  /// Makes a table as it was.
  func restore(_ tables: [String] = CheckedHome.tables) async throws {
    try await home.administer(
      tables.flatMap { table in
        ["DELETE FROM varve.\(table)", "INSERT INTO varve.\(table) SELECT * FROM kept.\(table)"]
      }
    )
  }

  func close() async { await home.close() }
}
#endif
