import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("A key that belonged to another entity")
struct OldKeyTests {
  private func edited(_ clock: TestClock) async throws -> Store {
    let store = try await makeStore(clock)
    try await store.import(#"{"number": 5, "name": "Ann"}"#, as: "Author")
    try await store.set("Author#5", "number", 6)
    return store
  }

  @Test func `makes one entity on all replicas that import it`() async throws {
    let clock = TestClock()
    let store = try await edited(clock)
    let other = try await makeStore(clock)
    try await other.merge(from: store)
    let text = #"{"number": 5, "name": "Bob"}"#
    let report = try await store.import(text, as: "Author")
    #expect(report.createdCount == 1 && report.ids == ["Author~2#5"])
    #expect(report.diagnostics.count == 1)
    #expect(try await other.import(text, as: "Author").ids == report.ids)
    try await store.merge(from: other)
    try await other.merge(from: store)
    #expect(try await store.fetch(Query("Author")).map(\.id) == ["Author#5", "Author~2#5"])
    for store in [store, other] {
      let again = try await store.import(text, as: "Author")
      #expect(again.commit == nil && again.diagnosticCount == 0)
    }
  }

  @Test func `tries the next identifier if that one was edited, too`() async throws {
    let store = try await edited(TestClock())
    try await store.import(#"{"number": 5}"#, as: "Author")
    try await store.set("Author~2#5", "number", 7)
    #expect(try await store.import(#"{"number": 5}"#, as: "Author").ids == ["Author~3#5"])
    #expect(try await store.import(#"{"number": 7}"#, as: "Author").ids == ["Author~2#5"])
  }
}
