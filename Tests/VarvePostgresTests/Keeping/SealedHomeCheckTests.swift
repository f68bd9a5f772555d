#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

/// `varve home check` of a home with a relay of a sealed space.
@Suite(
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct SealedHomeCheckTests {
  private let team: SealedMembers

  init() throws { team = try SealedMembers() }

  /// A home with every kind of record.
  private func filled(_ database: String) async throws -> RelayHome {
    let (relay, index, ana, ben) = try await team.meeting(database)
    try await ana.sync(with: index)
    for store in [index, ana, ben] { try await store.close() }
    try await relay.backUp()
    return relay
  }

  /// The columns of arrivals and of spaces, with what a value is replaced by.
  private static let mutations: [(table: String, column: String, values: [String])] = [
    ("arrivals", "space", ["gen_random_uuid()"]),
    ("arrivals", "position", ["position + 100", "0"]),
    ("arrivals", "kind", ["kind + 1", "kind - 1", "1", "NULL"]),
    ("arrivals", "running", ["running + 1", "0"]),
    ("arrivals", "replica", ["gen_random_uuid()"]),
    ("arrivals", "sequence", ["sequence + 1", "-1"]),
    ("arrivals", "hash", ["''", "set_byte(hash, 0, get_byte(hash, 0) # 1)"]),
    ("arrivals", "principal", ["'eve'", "''"]),
    (
      "arrivals", "header",
      [
        "NULL", "''", "header || '\\x00'", "set_byte(header, 0, get_byte(header, 0) # 1)",
        "set_byte(header, length(header) - 1, get_byte(header, length(header) - 1) # 1)",
      ]
    ),
    ("arrivals", "blocks", ["blocks + 1", "-1"]),
    ("arrivals", "bytes", ["bytes + 1", "-1"]),
    ("arrivals", "seal", ["seal + 1", "0", "NULL"]),
    ("spaces", "format", ["1", "3", "0"]),
    ("spaces", "least_host", ["2"]),
    ("spaces", "seal", ["seal + 1", "NULL"]),
    ("spaces", "sealed", ["sealed + 1", "sealed - 1", "NULL"]),
    ("spaces", "head", ["head - 1", "head + 1", "0"]),
    ("spaces", "running", ["running + 1"]),
    ("spaces", "incarnation", ["incarnation + 1"]),
    ("spaces", "replica", ["gen_random_uuid()"]),
  ]

  @Test func `varve home check finds what replaces any value of a relay, in every record`()
    async throws
  {
    let relay = try await filled("sealed_mutated")
    #expect(try await relay.findings() == [])
    let count = try await relay.home.administer([
      "SELECT count(*) FROM varve.arrivals WHERE kind = 5"
    ])
    let records = try #require(count)
    #expect(records > 8)
    var found = 0
    for (table, column, values) in Self.mutations {
      let rows = table == "spaces" ? 1 : records
      let condition = table == "spaces" ? "" : "WHERE kind = 5"
      for row in 0..<rows {
        for value in values {
          let update = """
            UPDATE varve.\(table) SET \(column) = \(value) WHERE ctid = (
              SELECT ctid FROM varve.\(table) \(condition) ORDER BY ctid OFFSET \(row) LIMIT 1)
            """
          do {
            try await relay.home.administer([update])
          } catch {
            // The database refuses it.
            continue
          }
          #expect(try await relay.findings() != [], "\(update)")
          found += 1
          try await relay.goBack([table])
        }
      }
    }
    #expect(found > Int(records) * 20)
    #expect(try await relay.findings() == [])
    await relay.home.close()
  }

  @Test
  func `varve home check finds records that were removed, exchanged, or put into an open space`()
    async throws
  {
    let relay = try await filled("sealed_removed")
    let hats = try await Store.open(.space("hats", at: relay.home, index: .inMemory))
    try await hats.create("Hat", id: "h")
    try await hats.close()
    try await relay.backUp()
    let cases: [([String], String)] = [
      (["DELETE FROM varve.arrivals WHERE kind = 5 AND position = 2"], "are missing"),
      (
        [
          "UPDATE varve.arrivals SET position = -1 WHERE kind = 5 AND position = 1",
          "UPDATE varve.arrivals SET position = 1 WHERE kind = 5 AND position = 2",
          "UPDATE varve.arrivals SET position = 2 WHERE kind = 5 AND position = -1",
        ], "its running hash"
      ),
      (
        [
          """
          UPDATE varve.arrivals AS a SET kind = 5, header = b.header, hash = b.hash
          FROM varve.arrivals AS b, varve.spaces AS s
          WHERE s.name = 'hats' AND a.space = s.space AND b.kind = 5 AND b.position = 1
          """
        ], "the space is an open one"
      ),
      (
        ["UPDATE varve.spaces SET format = 2 WHERE name = 'hats'"],
        "its incarnation, replica, format or head was changed"
      ),
    ]
    for (statements, words) in cases {
      try await relay.home.administer(statements)
      let findings = try await relay.findings()
      #expect(findings.contains { $0.contains(words) }, "\(findings)")
      try await relay.goBack()
      #expect(try await relay.findings() == [])
    }
    await relay.home.close()
  }

  @Test func `an index takes no record that is not that of its arrival`() async throws {
    let relay = try await filled("sealed_altered")
    try await relay.home.administer([
      "UPDATE varve.arrivals SET header = header || '\\x00' WHERE kind = 5 AND position = 3"
    ])
    let error = await #expect(throws: VarveError.self) { try await relay.index() }
    #expect(error?.code == .damaged, "\(error as Any)")
    try await relay.goBack()
    try await relay.index().close()
    await relay.home.close()
  }
}
#endif
