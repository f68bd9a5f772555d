import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Queries as SQL")
struct ModelSQLTests {
  private let hat = Hat(id: "hat-5", "red")

  private func sql<Model>(_ query: TypedQuery<Model>) async throws -> String {
    let store = try await makeStore(.memory)
    let text = try await store.sql(query)
    try await store.close()
    return text.description
  }

  @Test func `a query is plain SQL, its values bound`() async throws {
    let query = Hat.where { $0.color == "red" }.where(sql: "brim_size > ?", [10]).order(
      by: \.brimSize
    )
    #expect(
      try await sql(query) == """
        SELECT hats.* FROM hats WHERE hats.color=? AND (brim_size > ?) \
        ORDER BY hats.brim_size ASC ["red", "10"]
        """
    )
    #expect(try await sql(Hat.all) == "SELECT hats.* FROM hats")
    #expect(try await sql(Hat.all.reversed) == "SELECT hats.* FROM hats ORDER BY hats.id DESC")
    #expect(
      try await sql(Hat.all.order(by: \.color).reversed.limit(5).limit(7).offset(2))
        == "SELECT hats.* FROM hats ORDER BY hats.color DESC LIMIT 5 OFFSET 2"
    )
    #expect(
      try await sql(Hat.all.where(["brim_size": nil, "color": "red"]))
        == "SELECT hats.* FROM hats WHERE hats.brim_size IS NULL AND hats.color=? [\"red\"]"
    )
    let store = try await makeStore(.memory)
    let part = try await store.sql(Hat.all.select(\.id, \.color))
    #expect(part.description == "SELECT hats.id,hats.color FROM hats")
  }

  @Test(
    arguments: Engine.allCases
  )
  func `a query that selects columns is not run, as entities are whole`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    try await store.save(Hat("red"))
    let plain = Query("hats").select(.fields([Field("color")]))
    for query in [plain, Query("hats").select(.sql("color"))] {
      let models = try TypedQuery<Hat>(query)
      #expect(await failure { _ = try await store.fetch(query) }?.code == .invalidQuery)
      #expect(await failure { _ = try await store.fetch(models) }?.code == .invalidQuery)
      #expect(await failure { _ = try await store.first(models) }?.code == .invalidQuery)
      #expect(await failure { _ = try await store.count(query) }?.code == .invalidQuery)
      #expect(await failure { for try await _ in store.stream(query) {} }?.code == .invalidQuery)
      let live = await failure { for try await _ in try await store.observe(query) { break } }
      #expect(live?.code == .invalidQuery)
    }
    #expect(try await store.fetch(plain.select(.all)).count == 1)
  }

  @Test func `relations are joins`() async throws {
    #expect(
      try await sql(hat.toMany(Order.self))
        == "SELECT orders.* FROM orders WHERE orders.hat=? [\"hat-5\"]"
    )
    #expect(
      try await sql(hat.toMany(Customer.self, through: hat.toMany(Order.self))) == """
        SELECT customers.* FROM customers INNER JOIN orders ON orders.customer = customers.id \
        WHERE orders.hat=? ["hat-5"]
        """
    )
  }

  @Test(arguments: [Engine.memory, .file])
  func `the shown SQL gives the rows of the query to any tool`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.save([Hat("red", 6), Hat("b'l\"ue", 7), Hat("*re?d[", 8), Hat("red", nil)])
    for query in [
      Hat.where { $0.color == "red" }, Hat.where { $0.color.hasPrefix("*re?d[") },
      Hat.where { $0.color.contains("'l\"") }, Hat.where { $0.brimSize.isIn([6, 8]) },
      Hat.where { $0.brimSize == nil }, Hat.where { $0.brimSize != 6 },
      Hat.where { !($0.brimSize > 6 || $0.color == "red") },
    ] {
      let text = try await store.sql(query)
      let condition = try #require(text.sql.split(separator: " WHERE ").last.map(String.init))
      let same = try await store.fetch(Hat.all.where(sql: condition, text.parameters))
      #expect(same.map(\.id) == (try await store.fetch(query)).map(\.id))
      #expect(try await store.explain(query).contains("hats"))
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `custom SQL works in past states too`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let hats = try await store.save([Hat("red", 6), Hat("blue", 7)])
    let then = try await store.frontier()
    try await store.set(hats[0].id.entityID, "brim_size", 15)
    let largest = Hat.all.where(sql: "brim_size = (SELECT max(brim_size) FROM hats)")
    #expect(try await store.fetch(largest).map(\.color) == ["red"])
    #expect(try await store.asOf(then).fetch(largest).map(\.color) == ["blue"])
    #expect(try await store.fetch(largest).map(\.color) == ["red"])
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `invalid SQL, several statements, and statements that write are refused`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save(Hat("red", 6))
    for (text, values) in [
      ("nope = 1", []), ("brim_size > ?", []), ("brim_size > 1", [1]), ("1; DROP TABLE hats", []),
      ("1) ; DELETE FROM hats; --", []), ("(", []),
    ] as [(String, [Value])] {
      let error = await failure {
        _ = try await store.fetch(Hat.all.where(sql: text, values))
      }
      #expect(error?.code == .invalidQuery, "\(text)")
    }
    #expect(try await store.count(Hat.all) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `hostile texts are data in every place`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let texts = [
      "'; DROP TABLE hats; --", "\" OR 1=1 --", "\\", "%", "_", "*", "[a]", "\u{0}", "naïve\u{301}",
      "x'00'", "?1", ":a", "$b", "NULL", "🎩",
    ]
    for text in texts { try await store.save(Hat(text, 6)) }
    for text in texts {
      for query in [
        Hat.where { $0.color == text }, Hat.where { $0.color.isIn([text]) },
        Hat.all.where(["color": .string(text)]),
      ] {
        #expect(try await store.fetch(query).map(\.color) == [text])
      }
      #expect(
        try await store.fetch(Hat.where { $0.color.hasPrefix(text) }).contains { $0.color == text }
      )
      #expect(
        try await store.fetch(Hat.where { $0.color.contains(text) }).contains { $0.color == text }
      )
      let error = await failure { _ = try await store.fetch(Hat.all.order(by: PropertyKey(text))) }
      #expect(error?.code == .unknownProperty)
      let odd = try await store.create(EntityType(text), [PropertyKey(text): .string(text)])
      let found = Query(EntityType(text)).where(Field(PropertyKey(text)) == .string(text))
        .order(by: Field(PropertyKey(text)))
      #expect(try await store.fetch(found).map(\.id) == [odd])
    }
    #expect(try await store.count(Hat.all) == texts.count)
  }
}
