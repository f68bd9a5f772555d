import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Own SQL over a store's tables")
struct OwnSQLTests {
  private struct Tally: Decodable, Equatable {
    var color: String?
    var n: Int
  }

  private struct Everything: Decodable, Equatable {
    var id: EntityID
    var uuid: EntityID
    var isNew: Bool
    var day: Date
    var price: Decimal
    var whole: Decimal
    var ratio: Double
    var absent: Int?
  }

  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for (index, color) in ["red", "blue", "red"].enumerated() {
      try await store.create("hats", id: EntityID("h\(index)"), ["color": .string(color)])
    }
    return store
  }

  private let tally = "SELECT color, count(*) AS n FROM hats GROUP BY color ORDER BY color"

  @Test(arguments: [Engine.memory, .file])
  func `reads the present, a past state and the state within a write`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    try await store.write { tx in
      try await tx.set("h1", "color", "red")
      try await tx.create("hats", id: "h3", [:])
      let now = try await tx.rows(sql: tally, as: Tally.self)
      #expect(now == [Tally(color: nil, n: 1), Tally(color: "red", n: 3)])
    }
    let rows = try await store.rows(sql: tally)
    #expect(rows.map(\.columns) == [["color", "n"], ["color", "n"]])
    #expect(rows.map(\.values) == [[nil, 1], ["red", 3]])
    #expect(rows[1]["n"] == 3 && rows[0]["color"] == nil && rows[0]["no"] == nil)
    let then = try await store.asOf(past).rows(sql: tally, as: Tally.self)
    #expect(then == [Tally(color: "blue", n: 1), Tally(color: "red", n: 2)])
    #expect(try await store.rows(sql: tally).count == 2)
    let bound = try await store.rows(
      sql: "SELECT varve_text(id) AS id FROM hats WHERE color = ? AND id > ? ORDER BY 1",
      ["red", "g"]
    )
    #expect(bound.map { $0["id"] } == ["h0", "h1", "h2"])
  }

  @Test(
    arguments: [Engine.memory, .file],
    [
      "DELETE FROM hats", "INSERT INTO hats (id) VALUES ('x')", "UPDATE hats SET color = 'x'",
      "DROP TABLE hats", "CREATE TEMP TABLE t (a)", "PRAGMA user_version = 1",
      "PRAGMA user_version",
      "ATTACH ':memory:' AS other", "BEGIN", "COMMIT", "VACUUM", "SELECT 1; SELECT 2", "", " ",
      "SELECT * FROM nothing", "SELEC 1", "SELECT ?",
      "WITH x AS (SELECT 1) DELETE FROM hats", "REINDEX", "ANALYZE", "SAVEPOINT s",
    ]
  )
  func `does nothing but read`(engine: Engine, sql: String) async throws {
    let store = try await store(engine)
    #expect(await failure { _ = try await store.rows(sql: sql) }?.code == .invalidQuery, "\(sql)")
    #expect(try await store.count(Query("hats")) == 3)
    try await store.set("h0", "color", "green")
    #expect(try await store.rows(sql: "SELECT 1 AS one").map { $0["one"] } == [1])
  }

  @Test(arguments: [Engine.memory, .file])
  func `reads columns as the types of a struct`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let uuid = EntityID("00000000-0000-7000-8000-0000000000ff")
    let day = Date(timeIntervalSinceReferenceDate: 1.5)
    try await store.create(
      "rows",
      id: "r1",
      [
        "uuid": .reference(uuid), "isNew": true, "day": .date(day), "price": "9.50", "whole": 3,
        "ratio": 2,
      ]
    )
    let rows = try await store.rows(
      sql: "SELECT id, uuid, isNew, day, price, whole, ratio, NULL AS absent FROM rows",
      as: Everything.self
    )
    let price = try #require(Decimal(string: "9.50"))
    #expect(
      rows == [
        Everything(
          id: "r1",
          uuid: uuid,
          isNew: true,
          day: day,
          price: price,
          whole: 3,
          ratio: 2,
          absent: nil
        )
      ]
    )
    let wrong = await failure {
      _ = try await store.rows(sql: "SELECT 'x' AS n, NULL AS color", as: Tally.self)
    }
    #expect(wrong?.code == .fieldType)
  }

  @Test(arguments: [Engine.memory, .file])
  func `reads values of any kind, equally on every replica`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.create("t", id: "a", ["k": "text", "p": 1, "list": .array([1])])
    try await there.create("t", id: "b", ["k": 5, "p": .reference("a"), "list": "one"])
    let before = try await here.frontier()
    try await here.merge(from: there)
    try await there.merge(from: here)
    try await here.set("b", "k", .array([2]))
    try await there.merge(from: here)
    let sql = """
      SELECT varve_text(id) AS id, typeof(k) AS k, typeof(list) AS l,
        CASE typeof(p) WHEN 'integer' THEN p ELSE varve_text(p) END AS p
      FROM t ORDER BY 1
      """
    let rows = try await here.rows(sql: sql).map(\.values)
    #expect(rows == [["a", "text", "blob", 1], ["b", "blob", "text", "a"]])
    #expect(try await there.rows(sql: sql).map(\.values) == rows)
    #expect(try await here.asOf(before).rows(sql: sql).map(\.values) == [rows[0]])
    let count = try await here.rows(sql: "SELECT count(k) AS n FROM t WHERE k IS NOT NULL")
    #expect(count.map { $0["n"] } == [2])
    // The views that show these values are gone.
    #expect(try await here.count(Query("t").where(Field("k") == "text")) == 1)
    #expect(try await here.check().isClean)
  }

  @Test(arguments: [Engine.memory, .file])
  func `reads values of any kind in past states whose rows are those of the present`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["k": "text"])
    try await store.create("t", id: "b", ["k": 5])
    let end = try await store.frontier()
    let sql = "SELECT k FROM t ORDER BY typeof(k)"
    #expect(try await store.rows(sql: sql).map(\.values) == [[5], ["text"]])
    #expect(try await store.asOf(end).rows(sql: sql).map(\.values) == [[5], ["text"]])
    try await store.create("other", id: "c")
    #expect(try await store.asOf(end).rows(sql: sql).map(\.values) == [[5], ["text"]])
    let later = Date(timeIntervalSince1970: 4_000_000_000)
    #expect(try await store.asOf(later).rows(sql: sql).map(\.values) == [[5], ["text"]])
  }

  @Test(arguments: [Engine.memory, .file])
  func `as a condition of a query sees values of any kind, at present and before`(
    engine: Engine
  ) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await here.create("t", id: "a", ["k": "text", "n": 1])
    try await there.create("t", id: "b", ["k": 5, "n": "one"])
    let early = try await here.frontier()
    try await here.merge(from: there)
    let both = try await here.frontier()
    try await there.merge(from: here)
    try await here.create("t", id: "c", ["n": 2])
    try await there.merge(from: here)
    func ids(_ query: Query, _ state: some Reading) async throws -> [EntityID] {
      try await state.fetch(query.order(by: .identifier)).map(\.id)
    }
    for store in [here, there] {
      for (sql, values, expected) in [
        ("k = ?", [5], ["b"]), ("k = ?", ["text"], ["a"]), ("t.k IS NOT NULL", [], ["a", "b"]),
        ("n = ? OR n = 2", ["one"], ["b", "c"]), ("k IS NULL", [], ["c"]),
      ] as [(String, [Value], [EntityID])] {
        let query = Query("t").where(sql: sql, values)
        #expect(try await ids(query, store) == expected, "\(sql)")
        #expect(try await store.count(query) == expected.count, "\(sql)")
        let past = store.asOf(both)
        #expect(try await ids(query, past) == expected.filter { $0 != "c" }, "\(sql) before")
      }
      // A comparison with null is neither true nor false.
      let other = Query("t").where(!Condition.sql("k = ?", [5]))
      #expect(try await ids(other, store) == ["a"])
      let mixed = Query("t").where(sql: "k = ?", [5]).where(Field("n") == "one")
      #expect(try await ids(mixed, store) == ["b"])
    }
    #expect(try await ids(Query("t").where(sql: "k = ?", [5]), here.asOf(early)) == [])
  }

  @Test func `needs a backend with SQL`() async throws {
    let store = try await makeStore(.reference)
    #expect(await failure { _ = try await store.rows(sql: "SELECT 1") }?.code == .unsupported)
  }

  /// Cancels a task from a thread of its own. SQL holds the thread of Swift's pool on which it
  /// runs, and there may be no other.
  private func cancel<Success>(_ task: Task<Success, any Error>, after began: DispatchSemaphore) {
    Thread.detachNewThread {
      began.wait()
      task.cancel()
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: [Engine.memory, .file])
  func `SQL that does not end ends when its task is cancelled`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = try await store.frontier()
    try await store.set("h1", "color", "red")
    let endless = """
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
      """
    for moment in [Moment.now, .frontier(past)] {
      let began = DispatchSemaphore(value: 0)
      let reading = Task {
        try await store.asOf(moment).read { state in
          began.signal()
          return try await state.rows(sql: endless)
        }
      }
      cancel(reading, after: began)
      await #expect(throws: CancellationError.self) { _ = try await reading.value }
      let rows = try await store.asOf(moment).read { try await $0.rows(sql: tally) }
      #expect(!rows.isEmpty)
    }
    let began = DispatchSemaphore(value: 0)
    let writing = Task {
      try await store.write { transaction in
        try await transaction.set("h2", "color", "green")
        began.signal()
        _ = try await transaction.rows(sql: endless)
      }
    }
    cancel(writing, after: began)
    await #expect(throws: CancellationError.self) { try await writing.value }
    #expect(try await store.require("h2")["color"] == "red")
  }
}
