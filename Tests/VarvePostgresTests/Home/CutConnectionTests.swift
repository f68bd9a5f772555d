#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite(
  "A connection to the home that is cut during a write",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup installs it"
  )
)
struct CutConnectionTests {
  @Test(arguments: [CuttingProxy.Cut.before, .after]
  )
  func `at any message: the write succeeded and is there, or failed and is not`(
    cut: CuttingProxy.Cut
  ) async throws {
    let subject = try await PostgresSubject()
    let proxy = try CuttingProxy(to: try await PostgresCluster.shared.value.folder)
    let url = try await PostgresCluster.shared.value.url(proxy.folder)
    let home = try await PostgresHome(url)
    let index = try await open(home.log(of: subject.space))
    let other = try await open(subject.open())
    let (store, look) = (Store(backend: index), Store(backend: other))
    try await store.create("Hat", id: "hat")
    var kept: Int64 = 0
    var (cuts, failures) = (0, 0)
    for count in 0..<500 {
      let next = Int64(count + 1)
      proxy.arm(count, cut)
      do {
        try await store.set("hat", "size", .int(next))
        kept = next
      } catch let error as VarveError {
        #expect(error.code == .inputOutput, "message \(count): \(error)")
        failures += 1
      }
      guard proxy.disarm() else { break }
      cuts += 1
      try await other.applyArrivals()
      let value = try await look.entity("hat")?["size"]
      #expect(value == (kept == 0 ? nil : .int(kept)), "message \(count)")
    }
    #expect(cuts > 20 && failures > 5, "\(cuts) cuts, \(failures) failures")
    for backend in [index, other] { try await backend.applyArrivals() }
    #expect(try await store.check().findings == [])
    #expect(try await index.chains().count == 1)
    let exports = [try await CanonicalExport(of: index), try await CanonicalExport(of: other)]
    #expect(exports[0].firstDifference(from: exports[1]) == nil)
    try await store.close()
    try await look.close()
    await home.close()
  }

  @Test func `and cannot be made again: the outcome is unknown, and found later`() async throws {
    let subject = try await PostgresSubject()
    let index = try await open(
      BreakingHome(try await subject.open(), .unreachableAfter)
    )
    let error = await failure {
      try await Store(backend: index).create("Hat", id: "hat")
    }
    #expect(error?.code == .outcomeUnknown)
    #expect(error?.commit != nil)
  }

  private func open(_ home: any LogHome) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.home = home
    configuration.checksInvariants = true
    return try await SQLiteBackend.open(.inMemory, configuration: configuration)
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
