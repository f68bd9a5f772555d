import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("Semantic types are compared byte by byte")
struct SemanticTypeTests {
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  @Test(arguments: Engine.allCases)
  func `by an update, and each is given back as it was`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("T", id: "a")
    try await store.write { tx in
      try await tx.update("a", properties: ["x": .init(1, semanticType: decomposed)])
    }
    for type in [composed, decomposed, composed] {
      let hasChanged = try await store.write { tx in
        try await tx.update("a", properties: ["x": .init(1, semanticType: type)])
      }
      #expect(hasChanged)
      let stored = try #require(try await store.require("a").property("x")).semanticType
      #expect(Array(stored.utf8) == Array(type.utf8))
    }
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `by creations of one shape, now and in the past`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let types = [composed, decomposed, composed]
    try await store.write { tx in
      for (index, type) in types.enumerated() {
        try await tx.create(
          "T",
          id: EntityID("e\(index)"),
          properties: ["x": .init(1, semanticType: type)]
        )
      }
    }
    let frontier = try await store.frontier()
    for (index, type) in types.enumerated() {
      let id = try EntityID("e\(index)")
      for entity in [try await store.require(id), try await store.asOf(frontier).require(id)] {
        let stored = try #require(entity.property("x")).semanticType
        #expect(Array(stored.utf8) == Array(type.utf8))
      }
    }
    #expect(try await store.check().findings == [])
  }

  @Test func `semantic types are compared byte by byte by values that hold one`() {
    let (one, other) = (
      StoredEntity.Property(1, semanticType: composed),
      StoredEntity.Property(1, semanticType: decomposed)
    )
    #expect(one != other && Set([one, other]).count == 2)
    #expect(Prototype("p", for: "T", ["x": one]) != Prototype("p", for: "T", ["x": other]))
    let contents: Set<Cell.Content> = [
      .value("x", 1, semanticType: composed), .value("x", 1, semanticType: decomposed),
    ]
    #expect(contents.count == 2)
  }

  @Test func `and so are names and keys of prototypes`() async throws {
    #expect(Prototype(composed, for: "T", [:]) != Prototype(decomposed, for: "T", [:]))
    let store = try await makeStore(.memory)
    let prototype = Prototype("p", for: "T", ["\u{301}x": .init(1)])
    try await store.define(prototype)
    #expect(try await store.prototype("p", for: "T") == prototype)
  }
}
