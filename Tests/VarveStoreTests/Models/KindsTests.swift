import Testing
import VarveCore
import VarveStore

@Suite("Queries over kinds")
struct KindsTests {
  private let shapes = Query("shape").including(["square", "circle", "unknown"])

  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("square", id: "s1", ["side": 2, "name": "b"])
      try await tx.create("circle", id: "c1", ["radius": 1.5, "name": 7])
      try await tx.create("square", id: "s2", ["side": "wide", "name": "a"])
      try await tx.create("shape", id: "x", ["name": "c"])
      try await tx.create("circle", id: "c2", ["side": 1, "tags": ["a"]])
      try await tx.create("other", id: "o", ["name": "z"])
    }
    return store
  }

  private func ids(_ store: some Reading, _ query: Query) async throws -> [String] {
    try await store.fetch(query).map(\.id.text)
  }

  @Test(arguments: Engine.allCases)
  func `all kinds come in the order of creation, as what they are`(engine: Engine) async throws {
    let store = try await store(engine)
    let found = try await store.fetch(shapes)
    #expect(found.map(\.id.text) == ["s1", "c1", "s2", "x", "c2"])
    #expect(found.map(\.type) == ["square", "circle", "square", "shape", "circle"])
    #expect(found[1]["radius"] == 1.5)
    #expect(found[1]["name"] == 7)
    #expect(found[2]["side"] == "wide")
    #expect(found[4]["tags"] == ["a"])
    #expect(try await store.count(shapes) == 5)
  }

  @Test(arguments: Engine.allCases)
  func `conditions, orders and windows are of all kinds together`(engine: Engine) async throws {
    let store = try await store(engine)
    #expect(try await ids(store, shapes.where(Field("side") < 3)) == ["s1", "c2"])
    #expect(try await ids(store, shapes.where(Field("name").isMissing)) == ["c2"])
    #expect(try await ids(store, shapes.order(by: Field("name"))) == ["c2", "c1", "s2", "s1", "x"])
    #expect(
      try await ids(store, shapes.order(by: Field("name"), descending: true).limit(2).offset(1))
        == ["s1", "s2"]
    )
    #expect(try await ids(store, shapes.where(.identifier == "c1")) == ["c1"])
    let rows = try await store.aggregate(
      shapes,
      [Aggregation(.count), Aggregation(.sum, of: Field("side"))]
    )
    #expect(rows.first?.values == [5, 3])
  }

  @Test(arguments: Engine.allCases)
  func `the past has the kinds it had`(engine: Engine) async throws {
    let store = try await store(engine)
    let then = try await store.frontier()
    try await store.erase("s1")
    try await store.set("x", "name", "0")
    #expect(try await ids(store, shapes.order(by: Field("name"))) == ["c2", "c1", "x", "s2"])
    let past = store.asOf(then)
    #expect(try await ids(past, shapes.order(by: Field("name"))) == ["c2", "c1", "s2", "s1", "x"])
  }
}
