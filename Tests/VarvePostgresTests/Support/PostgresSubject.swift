#if CommandLine && Server
import VarveCore
import VarvePostgres
import VarveTestSupport

/// A space in a PostgreSQL database under trial.
final class PostgresSubject: HomeSubject {
  let clock = TestClock()
  let space: SpaceID
  private let url: String
  private let administration: PostgresHome

  private static let tables = ["spaces", "arrivals", "blocks"]

  init() async throws {
    url = try await PostgresCluster.url()
    administration = try await PostgresHome(url)
    space = try await administration.create("\(SpaceID.random())").id
  }

  /// A home, as one more host has it.
  func home() async throws -> PostgresHome {
    var configuration = PostgresHome.Configuration()
    configuration.connectionLimit = 4
    configuration.wall = { [clock] _ in HybridTime(millisecondsSince1970: clock.now) }
    return try await PostgresHome(url, configuration: configuration)
  }

  func open() async throws -> any LogHome { try await home().log(of: space) }

  func lostTurn() async throws -> any HomeTurn { try await home().strayTurn(of: space) }

  func backUp() async throws {
    try await administration.administer(
      Self.tables.flatMap { table in
        [
          "DROP TABLE IF EXISTS \(backup(table))",
          "CREATE TABLE \(backup(table)) AS SELECT * FROM varve.\(table) WHERE \(isOwn)",
        ]
      }
    )
  }

  func goBack() async throws {
    try await administration.administer(
      Self.tables.flatMap { table in
        [
          "DELETE FROM varve.\(table) WHERE \(isOwn)",
          "INSERT INTO varve.\(table) SELECT * FROM \(backup(table))",
        ]
      }
    )
  }

  func stores(_ bytes: [UInt8]) async throws -> Bool {
    let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let count = try await administration.administer([
      """
      SELECT count(*) FROM varve.blocks
      WHERE \(isOwn) AND position('\\x\(text)'::bytea IN payload) > 0
      """
    ])
    return count != 0
  }

  private var isOwn: String { "space = '\(space)'" }

  private func backup(_ table: String) -> String { "\"backup \(table) \(space)\"" }
}
#endif
