import Foundation
import Synchronization
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Many types")
struct ManyTypesTests {
  private func fill(_ store: Store, _ types: Range<Int>) async throws {
    try await store.write { tx in
      for number in types {
        try await tx.create(
          EntityType("Kind\(number)"),
          id: EntityID("thing-\(number)"),
          ["x": .int(Int64(number)), "y": "text", PropertyKey("of\(number)"): true]
        )
      }
    }
  }

  /// A column that is added makes SQLite read the definitions of all tables.
  @Test func `many types get their tables with all columns of their first rows`() async throws {
    let scratch = try Scratch()
    let texts = Mutex<[String]>([])
    var configuration = SQLiteBackend.Configuration()
    configuration.statementWatch = StatementWatch(
      minimumNanoseconds: 0,
      includesValues: false
    ) { text, _ in
      texts.withLock { $0.append(text) }
    }
    let backend = try await SQLiteBackend.open(
      .file(scratch.path("store")),
      configuration: configuration
    )
    let store = Store(backend: backend, configuration: Store.Configuration())
    try await store.addIndex(on: "y", of: "Kind7")
    try await fill(store, 0..<40)
    let other = try await Store.open(.inMemory)
    try await fill(other, 40..<80)
    try await store.merge(from: other)
    #expect(texts.withLock { $0.filter { $0.contains("ADD COLUMN") } } == [])
    #expect(try await store.fetch(Query("Kind7").where(Field("y") == "text")).count == 1)
    #expect(try await store.require("thing-79")["of79"] == true)
    // A key that comes later gets its column too.
    try await store.set("thing-3", "late", 1)
    #expect(try await store.fetch(Query("Kind3").where(Field("late") == 1)).count == 1)
    #expect(texts.withLock { $0.filter { $0.contains("ADD COLUMN") }.count } == 1)
    #expect(try await store.check().findings == [])
    let indexes = try await store.rows(
      sql: "SELECT name FROM sqlite_master WHERE tbl_name = 'Kind7'"
    )
    #expect(indexes.count == 2, "\(indexes)")
    try await store.rebuild()
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test(
    .enabled(if: Seeds.isSoak)
  )
  func `take a time in proportion to their number to create, to merge and to check`() async throws {
    var times: [Duration] = []
    for count in [500, 4_000] {
      let store = try await Store.open(.inMemory)
      let start = ContinuousClock.now
      for first in stride(from: 0, to: count, by: 10) { try await fill(store, first..<first + 10) }
      let other = try await Store.open(.inMemory)
      try await other.merge(from: store)
      #expect(try await other.check().findings == [])
      times.append((ContinuousClock.now - start) / count)
    }
    #expect(times[1] < times[0] * 4, "\(times) each")
  }
}
