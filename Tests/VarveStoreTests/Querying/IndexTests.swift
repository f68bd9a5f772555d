import Testing
import VarveCore
import VarveStore

@Suite("Indexes")
struct IndexTests {
  private struct Seat: Persistable {
    static let schema = Schema<Seat>("seats", indexedTogether: [["hall", "place"]]) {
      SchemaField("hall", \.hall)
      SchemaField("place", \.place)
    }
    var id = Identifier<Seat>()
    var hall: String
    var place: Int
    init(_ hall: String, _ place: Int) { (self.hall, self.place) = (hall, place) }
    init(row: EntityRow) throws {
      id = try row.id()
      hall = try row.read(0)
      place = try row.read(1)
    }
    func write(to values: inout PropertyValues) throws {
      try values.append(hall)
      try values.append(place)
    }
  }

  private func filled(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for number in 0..<12 {
      let values: [PropertyKey: Value] = [
        "hall": number % 2 == 0 ? "A" : "B", "place": .int(Int64(number)),
      ]
      try await store.create("chairs", id: try EntityID("c\(number)"), values)
    }
    return store
  }

  private let query = Query("chairs").where(Field("hall") == "A").order(by: Field("place"))

  @Test(arguments: [Engine.memory, .file])
  func `indexes on several properties serve conditions and orders`(engine: Engine) async throws {
    let store = try await filled(engine)
    let before = try await store.fetch(query).map(\.id)
    try await store.addIndex(on: ["hall", "place"], of: "chairs")
    let plan = try await store.explain(query)
    #expect(plan.contains("USING INDEX varve_index_"), "\(plan)")
    #expect(!plan.contains("FOR ORDER BY") || plan.contains("LAST TERM"), "\(plan)")
    #expect(try await store.fetch(query).map(\.id) == before)
    let then = store.asOf(try await store.frontier())
    try await store.set("c2", "hall", "B")
    #expect(try await then.fetch(query).map(\.id) == before)
    #expect(try await store.fetch(query).map(\.id) == before.filter { $0 != "c2" })
    try await store.rebuild()
    #expect(try await store.explain(query).contains("USING INDEX varve_index_"))
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: [Engine.memory, .file])
  func `indexes are dropped and made again`(engine: Engine) async throws {
    let store = try await filled(engine)
    for keys in [["hall"], ["hall", "place"], ["place", "hall"]] as [[PropertyKey]] {
      for _ in 0..<2 {
        try await store.addIndex(on: keys, of: "chairs")
        #expect(try await store.indexNames() == 1)
        try await store.removeIndex(on: keys, of: "chairs")
        #expect(try await store.indexNames() == 0)
        try await store.removeIndex(on: keys, of: "chairs")
      }
    }
    try await store.rebuild()
    #expect(try await store.indexNames() == 0)
    #expect(try await store.fetch(query).count == 6)
  }

  @Test(arguments: [Engine.memory, .file])
  func `indexes of properties that no entity has are made later`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.addIndex(on: ["hall", "place"], of: "chairs")
    try await store.create("chairs", ["place": 1])
    #expect(try await store.indexNames() == 0)
    try await store.create("chairs", ["hall": "A"])
    #expect(try await store.indexNames() == 1)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: [Engine.memory, .file])
  func `indexes that a model declares are made by its first save`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.save([Seat("A", 1), Seat("B", 2)])
    let found = Seat.where { $0.hall == "A" && $0.place == 1 }
    #expect(try await store.explain(found).contains("USING INDEX varve_index_"))
    #expect(try await store.count(found) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `indexes name each property once`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for keys in [[], ["a", "a"]] as [[PropertyKey]] {
      let error = await failure { try await store.addIndex(on: keys, of: "t") }
      #expect(error?.code == .invalidArgument)
    }
    let inside = await failure {
      try await store.write { _ in _ = try await store.removeIndex(on: ["a"], of: "t") }
    }
    #expect(inside?.code == .nestedTransaction)
  }
}

extension Store {
  /// The number of indexes that were requested and made.
  fileprivate func indexNames() async throws -> Int {
    try await rows(sql: "SELECT name FROM sqlite_master WHERE name LIKE 'varve_index_%'").count
  }
}
