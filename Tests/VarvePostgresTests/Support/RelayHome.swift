#if CommandLine && Server
import VarveClient
import VarveCore
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

/// A home with a relay of a sealed space, in a database of its own, and indexes of it in this process.
final class RelayHome: Sendable {
  let home: PostgresHome
  let url: String
  let space: SpaceID
  static let name = "team"

  /// Creates the database and the relay.
  ///
  /// - Parameter space: the sealed space.
  init(_ database: String, of space: SpaceID) async throws {
    url = try await Self.database(database)
    home = try await PostgresHome(url)
    self.space = space
    _ = try await home.createRelay(Self.name, of: space)
  }

  /// Creates a database that is a home without spaces.
  static func database(_ name: String) async throws -> String {
    let cluster = try await PostgresCluster.shared.value
    let administration = try await PostgresHome(cluster.url)
    try await administration.administer(outside: "DROP DATABASE IF EXISTS \(name)")
    try await administration.administer(outside: "CREATE DATABASE \(name) TEMPLATE template0")
    await administration.close()
    let url = cluster.url.replacing("/varve?", with: "/\(name)?")
    try await PostgresHome.prepare(url)
    return url
  }

  /// Opens an index of the relay, as one more host has it.
  func index(_ location: Store.Location = .inMemory) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    return try await Store.open(
      .space(Self.name, at: home, index: location),
      configuration: configuration
    )
  }

  /// Keeps what the tables have now, for ``goBack()``.
  func backUp() async throws {
    try await home.administer(
      ["DROP SCHEMA IF EXISTS kept CASCADE", "CREATE SCHEMA kept"]
        + CheckedHome.tables.map { "CREATE TABLE kept.\($0) AS SELECT * FROM varve.\($0)" }
    )
  }

  /// Makes tables as they were.
  func goBack(_ tables: [String] = CheckedHome.tables) async throws {
    try await home.administer(
      tables.flatMap { table in
        ["DELETE FROM varve.\(table)", "INSERT INTO varve.\(table) SELECT * FROM kept.\(table)"]
      }
    )
  }

  func findings() async throws -> [String] { try await HomeCheck.run(on: home).allFindings }
}

extension SealedMembers {
  /// Seals a space, makes its relay in a database, and lets a second device join there, which writes.
  func meeting(
    _ database: String
  ) async throws -> (relay: RelayHome, index: Store, ana: Store, ben: Store) {
    let (ana, ben) = (try await store("ana"), try await store("ben"))
    _ = try await ana.sealSpace()
    let relay = try await RelayHome(database, of: ana.sealedSpace)
    let index = try await relay.index()
    try await ana.sync(with: index)
    try await ben.join(try await ana.invite(.writer))
    for store in [ben, ana, ben] { try await store.sync(with: index) }
    try await ben.create("Hat", id: "1", ["color": "red"])
    try await ben.sync(with: index)
    return (relay, index, ana, ben)
  }
}
#endif
