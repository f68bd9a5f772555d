#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

/// Data that occurs in only one row must be verified too.
@Suite("A store whose log tables were changed behind its back")
struct TamperingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [
    "UPDATE varve_lineage SET replica = zeroblob(16)",
    "UPDATE varve_lineage SET id = id + 10",
    "UPDATE varve_lineage SET fork_sequence = 1",
    "UPDATE varve_lineage SET parent = 99, fork_sequence = 1",
    "DELETE FROM varve_lineage",
    "DELETE FROM varve_meta WHERE key = 'own_lineage'",
    "UPDATE varve_meta SET value = 77 WHERE key = 'own_lineage'",
    "UPDATE varve_commit SET header = CAST(replace(header, 'sam', 'ben') AS BLOB)",
    "UPDATE varve_commit SET checksum = checksum + 1 WHERE n = 1",
    "UPDATE varve_commit SET sequence = sequence + 1",
    "UPDATE varve_run SET first_n = first_n + 1",
    "DELETE FROM varve_run",
    "DELETE FROM varve_recent_touch",
    "UPDATE varve_recent_touch SET touches = x'0200'",
  ]
  )
  func `a store whose log tables were changed behind its back is detected`(statement: String)
    async throws
  {
    let store = try await scratch.hats()
    _ = try await Program.varve("set", store, "hat-1", "color=blue", "--author", "sam")
    #expect(try await Program.varve("check", store).status == 0)
    let change = try await Program.shell(
      """
      python3 - '\(store)' "\(statement)" <<'END'
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as store:
          assert store.execute(sys.argv[2]).rowcount > 0
      END
      """
    )
    #expect(change.status == 0, "\(change.errors)")
    let check = try await Program.varve("check", store)
    #expect(check.status == 1, "\(check.output)\(check.errors)")
  }
}
#endif
