import Foundation
import Testing
import VarveCore
import VarveStore

/// A model with a reference, a list and an older name.
private struct Coat: Persistable {
  static let schema = Schema<Coat>("coats") {
    SchemaField("color", \.color, .length(1...9))
    SchemaField("price", \.price, .renamed(from: "cost"))
    SchemaField("note", \.note)
    SchemaField("lining", \.lining)
    SchemaField("parts", \.parts)
  }
  var id: Identifier<Coat>
  var color: String
  var price: Int?
  var note: String?
  var lining: Ref<Coat>?
  var parts = Many<Coat>()
  init(_ id: Identifier<Coat>, _ color: String, price: Int? = nil) {
    (self.id, self.color, self.price) = (id, color, price)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    color = try row.read(0)
    price = try row.read(1)
    note = try row.read(2)
    lining = try row.read(3)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(color)
    try values.append(price)
    try values.append(note)
    try values.append(lining)
  }
}

@Suite("Writing what was read before")
struct ExpectingTests {
  @Test(arguments: Engine.allCases)
  func `saves the changed properties, and keeps what others changed`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.save(Coat("a", "red", price: 1))
    let lining = try await store.save(Coat("b", "white"))
    try await store.as("ana").set("a", "color", "blue")
    var mine = first
    mine.price = 2
    mine.lining = Ref(lining.id)
    mine.parts = Many(ids: [lining.id])
    let saved = try await store.save(mine, changedFrom: first)
    #expect(saved.color == "blue" && saved.price == 2)
    let stored = try await store.require("a")
    #expect(stored["color"] == "blue" && stored["price"] == 2 && stored["lining"] != nil)
    #expect(try await store.history(of: "a", "color").map(\.author) == ["ana", nil])
    #expect(try await store.collection(of: "a", "parts") == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `writes nothing if nothing differs from what was read`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.save(Coat("a", "red", price: 1))
    try await store.set("a", "price", 7)
    let count = try await store.commitCount()
    let saved = try await store.save(first, changedFrom: first)
    #expect(saved.price == 7)
    #expect(try await store.commitCount() == count)
  }

  @Test(arguments: Engine.allCases)
  func `writing what was read before removes a value that stands under an older name`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("coats", id: "a", ["color": "red", "cost": 5])
    let first = try #require(try await store.find(Identifier<Coat>("a")))
    #expect(first.price == 5)
    var mine = first
    mine.price = nil
    #expect(try await store.save(mine, changedFrom: first).price == nil)
    #expect(try await store.require("a").properties.keys.sorted() == ["color"])
  }

  @Test(arguments: Engine.allCases)
  func `writing what was read before checks the rules with the present values`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let first = try await store.save(Coat("a", "red"))
    var mine = first
    mine.color = ""
    let error = await failure { try await store.save(mine, changedFrom: first) }
    #expect(error?.code == .validationFailed)
    try await store.erase("a")
    let gone = await failure { try await store.save(mine, changedFrom: first) }
    let also = await failure { try await store.save(mine, ifUnchangedSince: first) }
    #expect(gone?.code == .notFound && also?.code == .notFound)
    let other = await failure { try await store.save(mine, changedFrom: Coat("b", "red")) }
    #expect(other?.code == .invalidArgument)
  }

  @Test(arguments: Engine.allCases)
  func `writing what was read before refuses to save what has changed meanwhile`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let first = try await store.save(Coat("a", "red", price: 1))
    var mine = first
    mine.color = "blue"
    try await store.set("a", "other", "not of the model")
    let second = try await store.save(mine, ifUnchangedSince: first)
    try await store.set("a", "price", 2)
    mine.color = "green"
    let error = await failure { try await store.save(mine, ifUnchangedSince: second) }
    #expect(error?.code == .changedMeanwhile)
    let change = try #require(error?.change)
    #expect(change.id == "a" && change.key == "price")
    #expect(change.expected == 1 && change.present == 2)
    #expect(try await store.require("a")["color"] == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `writing what was read before updates an entity that has the expected values`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("t", id: "a", ["n": 1, "m": 1])
    #expect(try await store.update("a", ["n": 2], expecting: ["n": 1, "x": nil]))
    let error = await failure { try await store.update("a", ["n": 3], expecting: ["n": 1]) }
    #expect(error?.change?.present == 2)
    let missing = await failure { try await store.update("a", ["n": 3], expecting: ["x": 1]) }
    #expect(missing?.code == .changedMeanwhile && missing?.change?.present == nil)
    #expect(try await store.require("a")["n"] == 2)
  }

  @Test(arguments: Engine.allCases)
  func `writing what was read before compares expected values as a query does`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let date = Value.date(Date(timeIntervalSince1970: 1_714_521_600))
    let present: [PropertyKey: Value] = [
      "n": 5, "d": 2.5, "nan": .double(.nan), "date": date, "text": "1.0", "ref": .reference("b"),
      "list": .array([1, "x"]),
    ]
    try await store.create("t", id: "a", present)
    let values: [Value] =
      Array(present.values) + [
        5.0, 2, "2.5", "5", "1", "1.00", "b", "B", .reference("B"), .array([1.0, "x"]),
      ]
    for (key, value) in present {
      for expected in values {
        let isFound =
          try await store.count(Query("t").where(Field(key) == expected)) == 1 || expected == value
        let error = await failure {
          try await store.update("a", ["m": 1], expecting: [key: expected])
        }
        #expect((error == nil) == isFound, "\(key), \(expected)")
        #expect(error.map { $0.code == .changedMeanwhile } ?? true)
      }
    }
    let error = await failure {
      try await store.update("a", ["m": 1], expecting: ["date": "2024-05-01"])
    }
    #expect(error?.message.contains("not the string 2024-05-01 as expected") == true)
    #expect(error?.remedy?.contains("of the kind") == true)
  }
}

@Suite("The author of commits that name none")
struct DefaultAuthorTests {
  @Test(arguments: Engine.allCases)
  func `the author of commits that name none is the task's, else the configuration's`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine) { $0.author = "config" }
    try await store.create("t")
    try await Store.$author.withValue("ben") {
      try await store.create("t")
      try await store.as("ana").create("t")
      try await store.as("").create("t")
      async let inChild = store.create("t")
      _ = try await inChild
    }
    try await store.create("t")
    let authors = try await store.log().map(\.author)
    #expect(authors == ["config", "ben", nil, "ana", "ben", "config"])
  }
}

@Suite("A write that runs once")
struct OnceTests {
  @Test(arguments: Engine.allCases)
  func `a write that runs once does not run again`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let first = try await store.once("seed") { tx in try await tx.create("t", id: "a") }
    let second = try await store.once("seed") { tx in try await tx.create("t", id: "b") }
    let other = try await store.once("seed 2") { tx in try await tx.create("t", id: "c") }
    #expect(first == "a" && second == nil && other == "c")
    #expect(try await store.commitCount() == 2)
    try await store.erase("varve.once/seed")
    #expect(try await store.once("seed") { _ in 1 } == nil)
  }

  @Test(arguments: Engine.allCases)
  func `a write that runs once does not run within itself`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let inner = try await store.once("seed") { tx in
      try await tx.create("t", id: "a")
      return try await tx.once("seed") { _ in 1 } ?? 2
    }
    #expect(inner == 2)
    #expect(Set(try await store.allIDs()) == ["a", "varve.once/seed"])
  }

  @Test(arguments: Engine.allCases)
  func `a write that runs once leaves nothing if it threw and the transaction continues`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      let error = await failure {
        try await tx.once("seed") { tx in
          try await tx.create("t", id: "a")
          try await tx.create("t", id: "a")
        }
      }
      #expect(error?.code == .duplicateIdentifier)
      try await tx.create("t", id: "b")
    }
    #expect(try await store.allIDs() == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `runs again if it threw`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let error = await failure {
      try await store.once("seed") { tx in
        try await tx.create("t", id: "a")
        try await tx.create("t", id: "a")
      }
    }
    #expect(error?.code == .duplicateIdentifier)
    #expect(try await store.once("seed") { try await $0.create("t", id: "a") } == "a")
  }

  @Test(arguments: Engine.allCases)
  func `a write that runs once doubles nothing when replicas that both ran it merge`(engine: Engine)
    async throws
  {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    for store in [here, there] {
      try await store.once("seed") { try await $0.create("t", id: "a", ["x": 1]) }
    }
    try await here.merge(from: there)
    #expect(try await here.allIDs().count == 2)
    #expect(try await here.once("seed") { _ in 1 } == nil)
    #expect(try await here.check().isClean)
  }
}
