#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite(
  "Host processes on one PostgreSQL",
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct PostgresProcessTests {
  @Test
  func `write one order and one chain, and one that is killed loses nothing it acknowledged`()
    async throws
  { try await play(rounds: 4, count: 15) }

  /// Plays writers that end, and one that is killed again and again.
  private func play(rounds: Int, count: Int) async throws {
    let subject = try await PostgresSubject()
    let scratch = try Scratch()
    let home = "\(try await PostgresCluster.url())#\(subject.space)"
    let steady = try ["a", "b"].map {
      try Torture("home", home, scratch.path($0), $0, "\(count)")
    }
    var acknowledged = 0
    for round in 0..<rounds {
      let writer = try Torture("home", home, scratch.path("killed"), "killed", "0")
      try await writer.said(2 + round)
      try await writer.kill()
      acknowledged += writer.lines.count
    }
    for process in steady {
      try await process.end()
      #expect(process.lines.last == "wrote \(count)")
    }
    var exports: [CanonicalExport] = []
    for name in ["a", "killed", "fresh"] {
      var configuration = SQLiteBackend.Configuration()
      configuration.home = try await PostgresHome(PostgresCluster.url()).log(of: subject.space)
      let backend = try await SQLiteBackend.open(
        .file(scratch.path(name)),
        configuration: configuration
      )
      let store = Store(backend: backend)
      #expect(try await store.check().findings == [])
      #expect(try await backend.chains().count == 1)
      let ledgers = try await backend.read(at: .now) { try await $0.fetch(Query("Ledger")) }
      let counts = Dictionary(uniqueKeysWithValues: ledgers.map { ($0.id, $0["n"]) })
      #expect(counts["ledger a"] == .int(Int64(count)))
      #expect(counts["ledger b"] == .int(Int64(count)))
      let kept = counts["ledger killed"]??.intValue ?? 0
      #expect((acknowledged...acknowledged + rounds).contains(Int(kept)), "\(acknowledged)")
      let people = try await backend.read(at: .now) { try await $0.fetch(Query("Person")) }
      #expect(Set(people.compactMap { $0["name"] }).count == people.count)
      exports.append(try await CanonicalExport(of: backend))
      try await store.close()
    }
    #expect(exports.allSatisfy { $0 == exports[0] })
  }
}
#endif
