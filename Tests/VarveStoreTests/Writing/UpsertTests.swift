import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Upserting")
struct UpsertTests {
  @Test(arguments: Engine.allCases)
  func `upserting creates an entity, then writes its differences`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.upsert("Hat", on: ["sku"], ["sku": "a", "price": 1, "note": "x"])
    let second = try await store.upsert("Hat", on: ["sku"], ["sku": "a", "price": 2, "note": nil])
    let third = try await store.upsert("Hat", on: ["sku"], ["sku": "a", "price": 2])
    let other = try await store.upsert("Hat", on: ["sku"], id: "h", ["sku": "b", "note": nil])
    #expect([first.outcome, second.outcome, third.outcome] == [.created, .changed, .unchanged])
    #expect(first.id == second.id && first.id == third.id)
    #expect(other == (id: "h", outcome: .created))
    let hat = try await store.require(first.id)
    #expect(hat["price"] == 2 && hat["note"] == nil && hat["sku"] == "a")
    #expect(try await store.history(of: first.id, "price").count == 2)
    #expect(try await store.commitCount() == 3)
  }

  @Test(arguments: Engine.allCases)
  func `upserting finds an entity by several keys, and no dead one`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Seat", id: "a", ["row": 1, "number": 1])
    try await store.create("Seat", id: "b", ["row": 1, "number": 2])
    let keys: [PropertyKey] = ["row", "number"]
    #expect(try await store.upsert("Seat", on: keys, ["row": 1, "number": 2]).id == "b")
    try await store.erase("b")
    let again = try await store.upsert("Seat", on: keys, ["row": 1, "number": 2])
    #expect(again.outcome == .created && again.id != "b")
  }

  @Test(arguments: Engine.allCases)
  func `upserting finds the first entity by values of every kind`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let values: [Value] = [
      true, 7, 2.5, "red", "", .date(.test(5)), .data(Data([1, 2])), .data(Data()),
      .reference("hat-1"), .reference(.new()), .array([1, "a"]), .dictionary(["a": 1]),
    ]
    for (index, value) in values.enumerated() {
      // A column of one kind each, then one of all kinds.
      for key in [PropertyKey("k\(index)"), "any"] {
        let id = EntityID(stringLiteral: "\(key)-\(index)")
        let outcomes = try await store.write { tx in
          try await [
            tx.upsert("t", on: [key], id: id, [key: value, "n": 1]),
            tx.upsert("t", on: [key], id: "other", [key: value, "n": 1]),
          ]
        }
        #expect(outcomes.map(\.outcome) == [.created, .unchanged], "\(value)")
        #expect(outcomes.allSatisfy { $0.id == id }, "\(value)")
        try await store.create("t", id: EntityID(stringLiteral: "\(id)-later"), [key: value])
        #expect(try await store.upsert("t", on: [key], [key: value]).id == id, "\(value)")
      }
    }
    #expect(try await store.upsert("t", on: ["k1"], ["k1": 7.0]).id == "k1-1")
    #expect(try await store.upsert("t", on: ["k1"], ["k1": .double(.nan)]).outcome == .created)
    #expect(try await store.upsert("t", on: ["k1"], ["k1": .double(.nan)]).outcome == .created)
    #expect(try await store.upsert("t", on: ["k1"], ["k1": "7"]).outcome == .created)
    #expect(try await store.upsert("t", on: ["k1", "n"], ["k1": 7, "n": 1]).id == "k1-1")
    #expect(try await store.upsert("t", on: ["none"], ["none": 1]).outcome == .created)
    #expect(try await store.upsert("t", on: ["none"], ["none": 1]).outcome == .unchanged)
  }

  @Test(arguments: Engine.allCases)
  func `upserting needs keys, and a value for each`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let errors = [
      await failure { try await store.upsert("Hat", on: [], ["sku": "a"]) },
      await failure { try await store.upsert("Hat", on: ["sku"], ["price": 1]) },
      await failure { try await store.upsert("Hat", on: ["sku"], ["sku": nil]) },
      await failure { try await store.insert("Hat", ifAbsent: ["sku"], ["price": 1]) },
    ]
    #expect(errors.allSatisfy { $0?.code == .invalidArgument })
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `inserts only what is absent`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let id = try await store.insert("Hat", ifAbsent: ["sku"], id: "h", ["sku": "a", "price": 1])
    let other = try await store.insert("Hat", ifAbsent: ["sku"], ["sku": "a", "price": 2])
    #expect(id == "h")
    #expect(other == nil)
    #expect(try await store.require("h")["price"] == 1)
    #expect(try await store.commitCount() == 1)
  }

  @Test(arguments: Engine.allCases)
  func `upserting eight tasks that upsert one value make one entity`(engine: Engine) async throws {
    let store = try await makeStore(engine) { $0.writerPatience = .seconds(120) }
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          _ = try await store.upsert("Hat", on: ["sku"], ["sku": "a", "by": .int(Int64(task))])
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.count(Query("Hat")) == 1)
  }
}

/// A model with something unique.
private struct Label: Persistable {
  static let schema = Schema<Label>("labels", uniqueTogether: [["row", "number"]]) {
    SchemaField("code", \.code, .unique)
    SchemaField("row", \.row)
    SchemaField("number", \.number)
    SchemaField("price", \.price)
  }
  var id = Identifier<Label>()
  var code: String?
  var row: Int?
  var number: Int?
  var price: Int?
  init(_ code: String?, row: Int? = nil, number: Int? = nil, price: Int? = nil) {
    (self.code, self.row, self.number, self.price) = (code, row, number, price)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    code = try row.read(0)
    self.row = try row.read(1)
    number = try row.read(2)
    price = try row.read(3)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(code)
    try values.append(row)
    try values.append(number)
    try values.append(price)
  }
}

@Suite("Upserting models")
struct ModelUpsertTests {
  @Test(arguments: Engine.allCases)
  func `upserting models writes the entity with the unique value`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.upsert(Label("a", price: 1), on: \.code)
    let second = try await store.upsert(Label("a", row: 1, number: 1, price: 2), on: \.code)
    let third = try await store.upsert(
      Label("b", row: 1, number: 1),
      on: \.number,
      \.row
    )
    #expect(first.id == second.id && first.id == third.id)
    let stored = try await store.require(first.id)
    #expect(stored.code == "b" && stored.row == 1 && stored.price == nil)
    #expect(try await store.count(Label.all) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `inserts only what is absent`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.insert(Label("a", price: 1), ifAbsent: \.code)
    #expect(try await store.insert(Label("a", price: 2), ifAbsent: \.code) == nil)
    #expect(try await store.fetch(Label.all).map(\.price) == [1])
    var same = Label("c")
    same.id = try #require(first).id
    let error = await failure { try await store.insert(same, ifAbsent: \.code) }
    #expect(error?.code == .duplicateIdentifier)
  }

  @Test(arguments: Engine.allCases)
  func `upserting models refuses properties that are not unique, and missing values`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let errors = [
      await failure { try await store.upsert(Label("a"), on: \.price) },
      await failure { try await store.upsert(Label("a", row: 1), on: \.row) },
      await failure { try await store.upsert(Label("a", row: 1), on: \.row, \.number) },
      await failure { try await store.upsert(Label(nil), on: \.code) },
    ]
    #expect(errors.allSatisfy { $0?.code == .invalidArgument })
    #expect(try await store.commitCount() == 0)
  }

  @Test(arguments: Engine.allCases)
  func `upserting models exists tells whether an entity is live, and of the type`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let label = try await store.save(Label("a"))
    try await store.create("t", id: "other")
    #expect(try await store.exists(label.id))
    #expect(try await store.exists(label.id.entityID))
    #expect(try await !store.exists(Identifier<Label>("other")))
    #expect(try await store.exists(Query("t")))
    #expect(try await !store.exists(Query("t").where(Field("x") == 1)))
    try await store.erase(label)
    #expect(try await !store.exists(label.id))
    #expect(try await !store.exists(label.id.entityID))
  }
}
