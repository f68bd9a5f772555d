import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Input that cannot be kept")
struct BadInputTests {
  @Test func `identifiers have 1 to 1,024 bytes`() async throws {
    for text in ["", String(repeating: "x", count: 1_025), String(repeating: "é", count: 513)] {
      await expectRefusal(.invalidIdentifier) { _ = try EntityID(text) }
    }
    let backend = try await openBackend()
    let longest = [try EntityID(String(repeating: "x", count: 1_024)), "\0"]
    for id in longest { try await backend.create(id, "Hat") }
    try await backend.expectFold(longest, clock: TestClock())
    try await backend.close()
  }

  @Test func `values beyond 512 MiB, nests too deep and names too long leave no trace`()
    async throws
  {
    let store = Store(backend: try await openBackend())
    try await store.create("Hat", id: "hat", ["color": "red"])
    let frontier = try await store.frontier()
    let long = String(repeating: "k", count: 65_537)
    let refusals: [(VarveError.Code, () async throws -> Void)] = [
      (
        .valueTooLarge,
        {
          let large = Value.data(Data(count: Value.maximumByteCount + 1))
          try await store.set("hat", "color", large)
        }
      ),
      (.unsupportedValue, { try await store.set("hat", "color", nest(513)) }),
      (.unsupportedValue, { try await store.create("Hat", ["color": nest(600)]) }),
      (.invalidArgument, { try await store.set("hat", PropertyKey(long), 1) }),
      (.invalidArgument, { try await store.create(EntityType(long)) }),
      (.invalidArgument, { try await store.relate("hat", .free, "hat", named: PropertyKey(long)) }),
      (.duplicateIdentifier, { try await store.create("Hat", id: "hat") }),
      (.notFound, { try await store.set("nobody", "color", "red") }),
      (.timeOutOfRange, { try await store.set("hat", "color", "blue", at: .distantPast - 1e12) }),
    ]
    for (code, write) in refusals { await expectRefusal(code) { try await write() } }
    #expect(try await store.frontier() == frontier)
    #expect(try await store.require("hat").properties.count == 1)
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `the deepest nest and the longest names are kept`(kind: Kind) async throws {
    let scratch = try Scratch()
    let clock = TestClock()
    let backend = try await kind.open(scratch, clock: clock)
    let long = String(repeating: "k", count: 65_536)
    let store = Store(backend: backend)
    try await store.create(EntityType(long), id: "hat", [PropertyKey(long): nest(512)])
    try await store.set("hat", "other", nest(512))
    try await backend.expectFold(["hat"], clock: clock)
    try await store.close()
  }

  @Test func `queries too large for SQLite are refused by name, or run`() async throws {
    let store = Store(backend: try await openBackend())
    try await store.create("Hat", id: "hat", ["n": 1])
    let field = Field("n")
    let conditions: [Condition] = [
      .or((0..<3_000).map { field == .int($0) }), .and((0..<3_000).map { field != .int(-$0 - 1) }),
      (0..<1_500).reduce(.always) { condition, _ in !condition },
      .isIn(field, (0..<40_000).map { .int($0) }),
      .isIn(field, (0..<3_000).map { $0 % 2 == 0 ? .int($0) : .string("\($0)") } + [1]),
    ]
    for condition in conditions {
      do {
        #expect(try await store.fetch(Query("Hat").where(condition)).map(\.id) == ["hat"])
      } catch let error as VarveError {
        #expect(error.code == .invalidQuery, "\(error)")
      }
    }
    try await store.close()
  }

  private func nest(_ depth: Int) -> Value {
    (0..<depth).reduce(Value.int(1)) { value, level in
      level % 2 == 0 ? .array([value]) : .dictionary(["a": value])
    }
  }
}
