import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Dates in SQL")
struct SQLDateTests {
  private func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: [Engine.memory, .file])
  func `are texts in UTC that compare and that SQLite's functions read`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    // 2012-01-01 and, to the millisecond, 2009-12-31 23:59:59.123.
    try await store.create("Hat", id: "a", ["made": date(1_325_376_000)])
    try await store.create("Hat", id: "b", ["made": date(1_262_303_999.123)])
    let past = try await store.frontier()
    try await store.create("Hat", id: "c", ["made": "unknown"])
    for state in [store.asOf(Moment.now), store.asOf(.frontier(past))] {
      let rows = try await state.rows(
        sql: "SELECT made, strftime('%Y', made) AS y FROM Hat WHERE id < 'c' ORDER BY id"
      )
      #expect(
        rows.map(\.values) == [
          ["2012-01-01 00:00:00.000", "2012"], ["2009-12-31 23:59:59.123", "2009"],
        ]
      )
      for condition in [
        "made > '2010-01-01'", "made > varve_date('2010-01-01')",
        "made > varve_date('2010-01-01T00:00:00-01:00')",
        "made BETWEEN '2010' AND '2013'", "made = varve_date('2012-01-01')",
      ] {
        let found = try await state.rows(sql: "SELECT id FROM Hat WHERE \(condition) AND id < 'c'")
        #expect(found.map { $0["id"] } == ["a"], "\(condition)")
      }
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `outside the years 0 to 9999 are seconds since 1970`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for (id, seconds) in [
      ("a", -62_167_219_200.0), ("b", -62_167_219_200.001), ("c", 253_402_300_799.999),
      ("d", 253_402_300_800), ("e", .infinity),
    ] {
      try await store.create("T", id: EntityID(id), ["d": date(seconds)])
    }
    let rows = try await store.rows(sql: "SELECT d FROM T ORDER BY id")
    #expect(
      rows.map { $0["d"] } == [
        "0000-01-01 00:00:00.000", .double(-62_167_219_200.001), "9999-12-31 23:59:59.999",
        .double(253_402_300_800), .double(.infinity),
      ]
    )
  }

  @Test(arguments: [Engine.memory, .file])
  func `compare with dates that are given for placeholders`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["made": date(1_325_376_000)])
    for (sign, seconds, count) in [(">", 1.5e9, 0), ("<", 1.5e9, 1), ("=", 1_325_376_000, 1)] {
      let sql = "SELECT id FROM Hat WHERE made \(sign) ?"
      #expect(try await store.rows(sql: sql, [date(seconds)]).count == count, "\(sign)")
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `of the entity itself are beside its keys`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let made = Date(timeIntervalSince1970: 1_325_376_000)
    try await store.create("Hat", id: "a", ["made": .date(made)], at: made)
    try await store.set("a", "color", "red", at: made.addingTimeInterval(1.5))
    let rows = try await store.rows(
      sql: "SELECT \"@datestamp\" AS d, \"@modified\" AS m FROM Hat WHERE made = \"@datestamp\""
    )
    #expect(rows.map(\.values) == [["2012-01-01 00:00:00.000", "2012-01-01 00:00:01.500"]])
  }

  @Test(arguments: [Engine.memory, .file])
  func `in conditions of queries are as they are stored, and compare by an index`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["made": date(1_325_376_000)])
    try await store.create("Hat", id: "b", ["made": date(1_200_000_000)])
    try await store.addIndex(on: ["made"], of: "Hat")
    let query = Query("Hat").where(sql: "made > varve_date('2010-01-01')")
    #expect(try await store.fetch(query).map(\.id) == ["a"])
    let exact = Query("Hat").where(sql: "made = varve_date('2012-01-01')")
    #expect(try await store.fetch(exact).map(\.id) == ["a"])
    #expect(try await store.explain(exact).contains("USING INDEX"))
    let shown = Query("Hat").where(sql: "varve_date_text(made) = '2012-01-01 00:00:00.000'")
    #expect(try await store.fetch(shown).map(\.id) == ["a"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `that SQL compares with texts or by varve_date are found by an index`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for number in 0..<50 {
      let id = try EntityID("h\(number)")
      try await store.create("Hat", id: id, ["made": date(Double(number) * 86_400)])
    }
    try await store.addIndex(on: ["made"], of: "Hat")
    let conditions = [
      "made > varve_date('1970-02-10')", "made >= '1970-02-10'", "made = '1970-02-10 00:00:00.000'",
      "Hat.made > '1970-02-10' AND color IS NULL", "varve_date('1970-02-10') < made",
      "made = varve_date('1970-01-05')", "made >= '1970-02-10' AND made < '1970-02-12'",
      "made BETWEEN '1970-01-05' AND '1970-01-07'",
    ]
    for condition in conditions {
      let sql = "SELECT id FROM Hat WHERE \(condition)"
        .replacing("AND color IS NULL", with: "AND length(id) > 0")
      let plain = sql.replacing("made", with: "+made").replacing("Hat.+made", with: "+Hat.made")
      let found = Set(try await store.rows(sql: sql).map { $0["id"] })
      #expect(found == Set(try await store.rows(sql: plain).map { $0["id"] }), "\(sql)")
      #expect(!found.isEmpty && found.count < 50, "\(sql)")
      let plan = try await store.rows(sql: "EXPLAIN QUERY PLAN " + sql)
      #expect(
        plan.contains { $0["detail"]?.stringValue?.contains("USING INDEX") == true },
        "\(sql): \(plan)"
      )
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `are found as without an index, whatever a condition looks like`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    for number in 0..<40 {
      let id = try EntityID("h\(number)")
      let seconds = [0, 86_400, 2_678_400, 31_536_000, -1e12, 1e12][number % 6]
      let shift = [0, 0.0004, -0.0004, 0.9996, -3_600][number % 5]
      try await store.create("Hat", id: id, ["made": date(seconds + shift)])
    }
    try await store.addIndex(on: ["made"], of: "Hat")
    let texts = [
      "'1970-01-01'", "'1970'", "'1970-01'", "'1970-02-01 00:00:00.000'", "'1971-01-01T'", "''",
      "'x'", "'1970-02-31'", "varve_date('1970-01-02')", "varve_date('1970-01-01T23:00:00Z')",
    ]
    for text in texts {
      for sign in ["<", "<=", ">", ">=", "=", "<>"] {
        for condition in ["made \(sign) \(text)", "\(text) \(sign) made"] {
          let sql = "SELECT id FROM Hat WHERE \(condition)"
          let found = Set(try await store.rows(sql: sql).map { $0["id"] })
          let all = "SELECT id FROM (SELECT id, made FROM Hat LIMIT -1) WHERE \(condition)"
          #expect(found == Set(try await store.rows(sql: all).map { $0["id"] }), "\(sql)")
        }
      }
    }
    let bound = "SELECT id FROM Hat WHERE made > ? AND made < ?"
    let found = try await store.rows(sql: bound, ["1970-01-15", "1970-12-01"])
    #expect(!found.isEmpty && found.count < 20)
  }

  @Test func `that varve_date cannot read are errors`() async throws {
    let store = try await makeStore(.memory)
    for text in ["'tomorrow'", "5", "'2010-02-30'", "x'00'"] {
      let error = await failure { _ = try await store.rows(sql: "SELECT varve_date(\(text))") }
      #expect(error?.code == .invalidQuery && error?.message.contains("varve_date") == true)
    }
    #expect(try await store.rows(sql: "SELECT varve_date(NULL) AS d").map { $0["d"] } == [nil])
  }
}
