#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

@Suite(
  "varve home check",
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct HomeCheckTests {
  /// The columns of a home, with their kinds.
  private static let columns: [(table: String, name: String, kind: Kind)] = [
    ("names", "name", .text), ("names", "space", .uuid),
    ("spaces", "space", .uuid), ("spaces", "name", .text), ("spaces", "incarnation", .integer),
    ("spaces", "replica", .uuid), ("spaces", "head", .integer), ("spaces", "running", .integer),
    ("spaces", "format", .integer), ("spaces", "least_host", .integer),
    ("spaces", "seal", .integer), ("spaces", "sealed", .integer),
    ("arrivals", "space", .uuid), ("arrivals", "position", .integer),
    ("arrivals", "kind", .integer), ("arrivals", "running", .integer),
    ("arrivals", "replica", .uuid), ("arrivals", "sequence", .integer),
    ("arrivals", "hash", .bytes), ("arrivals", "principal", .text), ("arrivals", "header", .bytes),
    ("arrivals", "blocks", .integer), ("arrivals", "bytes", .integer),
    ("arrivals", "seal", .integer),
    ("blocks", "space", .uuid), ("blocks", "position", .integer), ("blocks", "index", .integer),
    ("blocks", "salt", .bytes), ("blocks", "digest", .bytes), ("blocks", "payload", .bytes),
    ("blocks", "seal", .integer),
    ("probes", "space", .uuid), ("probes", "slot", .integer), ("probes", "beat", .integer),
    ("notes", "kind", .text), ("notes", "name", .text), ("notes", "text", .text),
    ("notes", "seal", .integer),
    ("migrations", "number", .integer), ("migrations", "at", .time),
  ]

  /// The kinds of columns, with what a value of each is replaced by.
  private enum Kind {
    case integer, uuid, text, bytes, time

    func mutations(of column: String) -> [String] {
      switch self {
      case .integer: ["\(column) + 1", "0", "-1", "NULL"]
      case .uuid: ["gen_random_uuid()"]
      case .text: ["\(column) || 'x'", "coalesce(\(column), 'eve')", "''", "NULL"]
      case .bytes:
        [
          "\(column) || '\\x00'", "''", "NULL",
          "set_byte(\(column), 0, get_byte(\(column), 0) # 1)",
          "set_byte(\(column), length(\(column)) - 1, get_byte(\(column), length(\(column)) - 1) # 1)",
        ]
      case .time: ["now()"]
      }
    }
  }

  @Test func `finds what replaces a value in any column of any table, or no answer changes`()
    async throws
  {
    try await mutate("mutated", rowsOfEach: 4)
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] != nil)
  )
  func `varve home check finds it in every row`() async throws {
    try await mutate("mutated_wholly", rowsOfEach: .max)
  }

  @Test func `finds a space that was cut back, and names that no host serves or that are alike`()
    async throws
  {
    let checked = try await CheckedHome("cut_back")
    let home = checked.home
    let last = "(SELECT max(position) FROM varve.arrivals WHERE space = spaces.space)"
    try await home.administer([
      """
      DELETE FROM varve.blocks USING varve.spaces WHERE spaces.name = 'hats'
        AND blocks.space = spaces.space AND blocks.position = \(last)
      """,
      """
      DELETE FROM varve.arrivals USING varve.spaces WHERE spaces.name = 'hats'
        AND arrivals.space = spaces.space AND arrivals.position = \(last)
      """,
      """
      UPDATE varve.spaces SET head = \(last), running = (SELECT running FROM varve.arrivals
        WHERE space = spaces.space AND position = \(last)) WHERE name = 'hats'
      """,
    ])
    let findings = try await checked.findings()
    #expect(findings.count == 1 && findings[0].contains("before"), "\(findings)")
    try await home.administer(["UPDATE varve.spaces SET name = 'HATS' WHERE name = 'caps'"])
    try await home.administer(["UPDATE varve.names SET name = 'HATS' WHERE name = 'caps'"])
    #expect(try await checked.findings().contains { $0.contains("differ in case only") })
    try await home.administer(["UPDATE varve.names SET name = 'a b' WHERE name = 'HATS'"])
    #expect(try await checked.findings().contains { $0.contains("none that a host serves") })
  }

  private func mutate(_ database: String, rowsOfEach limit: Int64) async throws {
    let checked = try await CheckedHome(database)
    let home = checked.home
    #expect(try await checked.findings() == [])
    let answers = try await checked.answers()
    let count = try await home.administer([
      "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'varve'"
    ])
    #expect(count == Int64(Self.columns.count), "a column is not in the list")
    var (found, unseen) = (0, 0)
    for (table, column, kind) in Self.columns {
      let rows = try await home.administer(["SELECT count(*) FROM varve.\(table)"]) ?? 0
      #expect(rows > 0, "\(table) has no rows")
      let step = limit >= rows ? 1 : (rows + limit - 1) / limit
      for row in stride(from: 0, to: rows, by: Int(clamping: step)) {
        for mutation in kind.mutations(of: column) {
          let update = """
            UPDATE varve.\(table) SET \(column) = \(mutation)
            WHERE ctid = (SELECT ctid FROM varve.\(table) ORDER BY ctid OFFSET \(row) LIMIT 1)
            """
          do {
            try await home.administer([update])
          } catch {
            // The database refuses it.
            continue
          }
          if try await isFound(checked) {
            found += 1
          } else {
            unseen += 1
            #expect(try await checked.answers() == answers, "\(update)")
          }
          try await checked.restore([table])
        }
      }
    }
    #expect(found > 100 && unseen > 10, "\(found) found, \(unseen) without effect")
    #expect(try await checked.findings() == [])
    await checked.close()
  }

  /// Returns whether the check finds something. Without the tables' version it cannot begin.
  private func isFound(_ checked: CheckedHome) async throws -> Bool {
    do {
      return try await !checked.findings().isEmpty
    } catch let error as VarveError where error.code != .inputOutput {
      return true
    }
  }

  @Test func `names what is wrong, and goes on with the other spaces`() async throws {
    let checked = try await CheckedHome("damaged")
    let hats = "(SELECT space FROM varve.spaces WHERE name = 'hats')"
    let columns = """
      kind, running, replica, sequence + 100, hash, principal, header, blocks, bytes, seal
      """
    let cases: [(String, [String], String)] = [
      (
        "an arrival beyond the head",
        [
          """
          INSERT INTO varve.arrivals (space, position, \(columns.replacing(" + 100", with: "")))
          SELECT space, position + 1, \(columns) FROM varve.arrivals
          WHERE space = \(hats) ORDER BY position DESC LIMIT 1
          """
        ], "is beyond the head"
      ),
      (
        "a running hash in the middle",
        ["UPDATE varve.arrivals SET running = 7 WHERE space = \(hats) AND position = 2"],
        "arrival 2: its running hash"
      ),
      (
        "a head that is not that of the arrivals",
        ["UPDATE varve.spaces SET running = 7, sealed = NULL WHERE name = 'hats'"],
        "its running hash is not that of the head"
      ),
      (
        "blocks of no arrival",
        ["UPDATE varve.blocks SET position = 999 WHERE space = \(hats) AND position = 1"],
        "blocks of arrival 999, which is not there"
      ),
      (
        "a space without a name", ["DELETE FROM varve.names WHERE name = 'hats'"],
        "is under no name"
      ),
      (
        "two names of one space",
        ["INSERT INTO varve.names SELECT 'bonnets', space FROM varve.names WHERE name = 'hats'"],
        "has 2 names"
      ),
      (
        "a name that differs", ["UPDATE varve.names SET name = 'bonnets' WHERE name = 'hats'"],
        #"is called "bonnets" and "hats""#
      ),
      (
        "a name without its space", ["DELETE FROM varve.spaces WHERE name = 'hats'"],
        #"the name "hats" is that of the space"#
      ),
      (
        "a changed principal",
        ["UPDATE varve.arrivals SET principal = 'eve' WHERE principal = 'ben'"],
        "was changed outside of Varve"
      ),
      (
        "a block emptied without a redaction",
        [
          "UPDATE varve.arrivals SET seal = NULL WHERE space = \(hats)",
          "UPDATE varve.blocks SET salt = '', payload = '\\x00' WHERE space = \(hats) AND position = 1",
        ], "no commit redacts it"
      ),
      (
        "a note that cannot be read",
        ["UPDATE varve.notes SET text = '{', seal = NULL WHERE kind = 'token'"],
        #"the token "laptop" cannot be read"#
      ),
      (
        "a right that was changed",
        ["UPDATE varve.notes SET text = replace(text, 'reader', 'admin') WHERE kind = 'token'"],
        #"the note "laptop" of kind "token" was changed"#
      ),
      (
        "arrivals of a space that is not there",
        ["UPDATE varve.arrivals SET space = gen_random_uuid() WHERE space = \(hats)"],
        "there are arrivals of the space"
      ),
    ]
    for (what, statements, words) in cases {
      try await checked.home.administer(statements)
      let findings = try await checked.findings()
      #expect(findings.contains { $0.contains(words) }, "\(what): \(findings)")
      let check = try await HomeCheck.run(on: checked.home)
      let other = check.spaces.first { $0.name == "caps" }
      #expect(other?.arrivalCount == 1 && other?.findings == [], "\(what): \(check.allFindings)")
      try await checked.restore()
    }
    let clean = try await HostProcess.output(of: [
      HostProcess.executable, "home", "check", checked.url,
    ])
    #expect(clean.contains("hats") && !clean.contains("changed"), "\(clean)")
    try await checked.home.administer(["DELETE FROM varve.spaces WHERE name = 'hats'"])
    let broken = try await HostProcess.output(of: [
      HostProcess.executable, "home", "check", checked.url,
    ])
    #expect(broken.contains("which is not there") && broken.contains("caps"), "\(broken)")
    await checked.close()
  }
}
#endif
