import Foundation
import Testing
import VarveCore
import VarveStore

/// What SQL sees of types and keys: views with their names, at every state.
@Suite("Names of types and keys in SQL")
struct SQLNameTests {
  /// Names of which SQL, SQLite or Varve could take some for others.
  static let odd: [String] = [
    "t1", "t2", "c1", "c2", "my type", "Über", "Row", "Id", "true", "FALSE", "order", "select",
    "a\"b", "it's", "Hat", "hat", "@x", "id", "id_2", "🎩", " ", "row", "datestamp", "more", "rowid",
    "sqlite_x", "varve_commit", "@datestamp", "main", "temp", "", "a\0b", "x.y", "e\u{301}", "é",
  ]

  /// A store in which every odd name is a type with the two keys that follow it.
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for (index, name) in Self.odd.enumerated() {
      var values: [PropertyKey: Value] = [:]
      for step in 1...2 {
        let key = Self.odd[(index + step) % Self.odd.count]
        values[PropertyKey(key)] = .string("\(name)/\(key)")
      }
      try await store.create(EntityType(name), id: EntityID("e\(index)"), values)
    }
    return store
  }

  @Test(arguments: [Engine.memory, .file])
  func `read the type and the key that they name, now and before`(engine: Engine) async throws {
    let store = try await store(engine)
    let then = try await store.frontier()
    for index in Self.odd.indices {
      try await store.set(EntityID("e\(index)"), "later", 1)
    }
    let now = try await store.frontier()
    try await expectOwnValues(store)
    for moment in [then, now] { try await expectOwnValues(store.asOf(moment)) }
    try await store.write { tx in
      try await tx.set("e0", "later", 2)
      try await expectOwnValues(tx)
      try await tx.set("e1", "later", 2)
    }
    #expect(try await store.check().isClean)
  }

  private func expectOwnValues(_ state: some Reading) async throws {
    for type in try await state.schema() where Self.odd.contains(type.type.text) {
      for key in type.keys where key.key != "later" {
        let sql = "SELECT \(key.name.quotedIdentifier) AS v FROM \(type.name.quotedIdentifier)"
        let rows = try await state.rows(sql: sql)
        let expected = Value.string("\(type.type)/\(key.key)")
        #expect(rows.map { $0["v"] } == [expected], "\(sql)")
        let condition = "\(key.name.quotedIdentifier) = ?"
        let query = Query(type.type).where(sql: condition, [expected])
        #expect(try await state.count(query) == 1, "\(type.type): \(condition)")
      }
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `that no type has read nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("my type", id: "a", ["brim size": 5])
    for sql in [
      "SELECT * FROM t1", "SELECT * FROM T1", "SELECT (SELECT count(*) FROM t1)",
      "WITH \"my type\" AS (SELECT * FROM t1) SELECT * FROM \"my type\"",
      "SELECT c1 FROM \"my type\"", "SELECT row FROM \"my type\"", "SELECT more FROM \"my type\"",
    ] {
      let error = await failure { _ = try await store.rows(sql: sql) }
      #expect(
        error?.code == .invalidQuery && error?.message.contains("has the name") == true,
        "\(sql)"
      )
    }
    let sub = Query("my type").where(sql: "(SELECT count(*) FROM t1) > 0")
    #expect(await failure { _ = try await store.fetch(sub) }?.code == .invalidQuery)
    // A name that is no table may be an alias.
    let rows = try await store.rows(sql: "SELECT t1.\"brim size\" AS c1 FROM \"my type\" AS t1")
    #expect(rows.map { $0["c1"] } == [5])
  }

  @Test(arguments: [Engine.memory, .file])
  func `of several types join, with their indexes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("big hat", id: "h", ["brim size": 5])
    try await store.create("t1", id: "o", ["the hat": .reference("h"), "c1": 7])
    try await store.addIndex(on: ["brim size"], of: "big hat")
    let sql = """
      SELECT o.c1 AS n FROM "big hat" AS h JOIN t1 AS o ON o."the hat" = h.id \
      WHERE h."brim size" = ?
      """
    #expect(try await store.rows(sql: sql, [5]).map { $0["n"] } == [7])
    let plan = try await store.rows(
      sql: "EXPLAIN QUERY PLAN SELECT * FROM \"big hat\" WHERE \"brim size\" = 5"
    )
    #expect(plan.contains { $0["detail"]?.stringValue?.contains("USING INDEX") == true })
    let joined = Query("big hat").join(sql: "JOIN t1 ON t1.\"the hat\" = \"big hat\".id")
      .where(sql: "\"brim size\" = ? AND t1.c1 = 7", [5])
    #expect(try await store.fetch(joined).map(\.id) == ["h"])
    #expect(try await store.explain(joined).contains("USING INDEX"))
    let twice = "SELECT count(*) AS n FROM t1 a JOIN t1 b ON a.c1 = b.c1"
    #expect(try await store.rows(sql: twice).map { $0["n"] } == [1])
  }

  @Test(arguments: [Engine.memory, .file])
  func `in a live query make it follow what lies under them`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("hats", id: "h", [:])
    try await store.create("my \"type\"", id: "x", ["n": 1])
    let query = Query("hats").where(sql: "(SELECT sum(n) FROM \"my \"\"type\"\"\") > 1")
    var answers = try await store.observe(query).makeAsyncIterator()
    #expect(try await answers.next()?.isEmpty == true)
    try await store.set("x", "n", 2)
    #expect(try await answers.next()?.count == 1)
  }

  @Test(arguments: [Engine.memory, .file])
  func `are those of keys before the columns of every table`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let values: [PropertyKey: Value] = ["row": "r", "datestamp": "d", "more": "m", "id": "i"]
    try await store.create("t", id: "a", values)
    let rows = try await store.rows(sql: "SELECT row, datestamp, more, id_2, id FROM t")
    #expect(rows.map(\.values) == [["r", "d", "m", "i", "a"]])
    for (name, value) in [("row", "r"), ("datestamp", "d"), ("more", "m"), ("id_2", "i")] {
      let query = Query("t").where(sql: "\(name) = ?", [.string(value)])
      #expect(try await store.count(query) == 1, "\(name)")
    }
  }

  @Test(arguments: ["json_each", "JSON_TREE", "dbstat", "fts5"])
  func `of functions in place of tables leave the tables of others alone`(
    name: String
  ) async throws {
    let store = try await makeStore(.file)
    try await store.create(EntityType(name), id: "a", ["n": 1])
    try await store.create("Hat", id: "b", ["n": 2])
    #expect(try await store.rows(sql: "SELECT n FROM Hat").map(\.values) == [[2]])
    #expect(try await store.rows(sql: "SELECT n FROM \"\(name)\"").map(\.values) == [[1]])
  }

  @Test func `in double quotes that are none are no texts`() async throws {
    let store = try await makeStore(.memory)
    try await store.create("Hat", id: "a", ["color": "red"])
    let error = await failure {
      _ = try await store.rows(sql: "SELECT * FROM Hat WHERE color = \"red\"")
    }
    #expect(error?.remedy?.contains("single quotes") == true)
    let condition = Query("Hat").where(sql: "color = \"red\"")
    #expect(await failure { _ = try await store.fetch(condition) }?.code == .invalidQuery)
    for sql in [#"SELECT "red""#, #"SELECT "x" FROM (SELECT 1)"#] {
      let error = await failure { _ = try await store.rows(sql: sql) }
      #expect(error?.message.hasPrefix("the SQL names no type") == true, "\(sql)")
      #expect(error?.remedy?.hasSuffix("There are \"Hat\".") == true, "\(sql)")
    }
    let misspelled = await failure { _ = try await store.rows(sql: "SELECT colr FROM Hut") }
    #expect(misspelled?.remedy == "Perhaps it is \"Hat\".")
  }

  @Test(arguments: [Engine.memory, .file])
  func `see keys beyond the columns, and of types with very many keys those that are named`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    var values: [PropertyKey: Value] = [:]
    for number in 0..<2_200 { values[PropertyKey("k\(number)")] = .int(Int64(number)) }
    try await store.create("wide", id: "a", values)
    for number in [0, 150, 250, 1_999, 2_199] {
      let rows = try await store.rows(sql: "SELECT k\(number) AS v FROM wide")
      #expect(rows.map { $0["v"] } == [.int(Int64(number))])
      let query = Query("wide").where(sql: "k\(number) = ?", [.int(Int64(number))])
      #expect(try await store.count(query) == 1)
    }
  }

  @Test func `are the same in every state`() async throws {
    let store = try await makeStore(.file)
    let empty = try await store.frontier()
    try await store.create("Hat", id: "a", ["id": 1, "ID": 2])
    try await store.create("hat", id: "b", [:])
    let then = try await store.frontier()
    try await store.erase(["a", "b"])
    let names = try await store.schema().map { [$0.name] + $0.keys.map(\.name) }
    #expect(names == [["Hat", "ID_2", "id_3"], ["hat_2"]])
    for moment in [empty, then] {
      let past = try await store.asOf(moment).schema().map { [$0.name] + $0.keys.map(\.name) }
      #expect(past == names)
    }
  }
}
