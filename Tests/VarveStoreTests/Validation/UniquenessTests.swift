import Testing
import VarveCore
import VarveStore

@Suite("Uniqueness")
struct UniquenessTests {
  let hat = Validation(model: "hat")

  @Test(arguments: Engine.allCases)
  func `a value of another entity is taken, one's own is not`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let red = try await store.create("Hat", ["color": "red"])
    let named = try await store.create("Hat", id: "hat-1", ["color": "blue"])
    try await store.create("Cap", ["color": "green"])
    let all = try await hat.unique(["color": "red"], among: "Hat", in: store)
    #expect(all.errors == [ValidationError(model: "hat", key: "color", message: "taken")])
    for (id, color) in [(red, "red"), (named, "blue")] {
      let own = try await hat.unique(
        ["color": .string(color)],
        among: "Hat",
        excluding: id,
        in: store
      )
      #expect(own.isValid)
    }
    let others = try await hat.unique(["color": "red"], among: "Hat", excluding: named, in: store)
    #expect(!others.isValid)
    #expect(try await hat.unique(["color": "green"], among: "Hat", in: store).isValid)
    #expect(try await hat.unique(["color": "green"], among: "Nothing", in: store).isValid)
  }

  @Test(arguments: Engine.allCases)
  func `one's own entity does not hide another with the value`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", ["color": "red"])
    let second = try await store.create("Hat", ["color": "red"])
    #expect(
      try await !hat.unique(["color": "red"], among: "Hat", excluding: second, in: store).isValid
    )
  }

  @Test(arguments: Engine.allCases)
  func `of several keys all must match, and nothing matches nothing`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", ["color": "red", "brimSize": 12])
    func check(_ values: [PropertyKey: Value?]) async throws -> [String] {
      try await hat.unique(values, among: "Hat", in: store).errors.map(\.key)
    }
    #expect(try await check(["color": "red", "brimSize": 12]) == ["brimSize_color"])
    #expect(try await check(["color": "red", "brimSize": 13]) == [])
    #expect(try await check(["color": "red", "owner": nil]) == ["color_owner"])
    #expect(try await check(["color": nil]) == [])
    #expect(try await check([:]) == [])
    #expect(try await check(["'; DROP": "red"]) == [])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `erased entities take no values; a transaction sees its own writes`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let red = try await store.create("Hat", ["color": "red"])
    try await store.write { tx in
      #expect(try await !hat.unique(["color": "red"], among: "Hat", in: tx).isValid)
      try await tx.erase(red)
      #expect(try await hat.unique(["color": "red"], among: "Hat", in: tx).isValid)
      try await tx.create("Hat", ["color": "blue"])
      #expect(try await !hat.unique(["color": "blue"], among: "Hat", in: tx).isValid)
    }
  }
}
