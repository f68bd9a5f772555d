import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite("Reading relations")
struct RelatedTests {
  /// A shop with two hats and a till, which is owned by a street and names a hat it owns.
  private func shop(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write { tx in
      for id in ["street", "shop"] as [EntityID] { try await tx.create("Place", id: id) }
      try await tx.create("Hat", id: "red", ["color": "red", "size": 12])
      try await tx.create("Hat", id: "blue", ["color": "blue", "size": 15])
      try await tx.create("Till", id: "till")
      try await tx.relate("street", .owns, "shop")
      for id in ["till", "red", "blue", "unknown"] as [EntityID] {
        try await tx.relate("shop", .owns, id)
      }
      try await tx.relate("shop", .free, "blue", named: "window")
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `reading relations by type and by condition, in declaration order`(engine: Engine)
    async throws
  {
    let store = try await shop(engine)
    let hats = try await store.related("shop", .owns, type: "Hat")
    #expect(hats.map(\.id) == ["red", "blue"])
    let large = try await store.related("shop", .owns, where: Field("size") > 12)
    #expect(large.map(\.id) == ["blue"])
    let none = try await store.related("shop", .owns, type: "Till", where: Field("size") > 12)
    #expect(none.isEmpty)
    let window = try await store.related("shop", .free, named: "window")
    #expect(window.map(\.id) == ["blue"])
    #expect(try await store.related("shop", .free, named: "").isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `reading relations of several kinds, in the order of kinds, each once`(engine: Engine)
    async throws
  {
    let store = try await shop(engine)
    let all = try await store.related("shop", anyOf: [.free, .ownedBy, .owns])
    #expect(all.map(\.id) == ["till", "red", "blue", "street"])
    let two = try await store.related("shop", anyOf: [.free, .ownedBy])
    #expect(two.map(\.id) == ["street", "blue"])
    #expect(try await store.related("shop", anyOf: []).isEmpty)
    let byID = try await store.relatedByID("shop", anyOf: [.owns, .free], type: "Hat")
    #expect(Set(byID.keys) == ["red", "blue"])
    #expect(byID["red"]?["color"] == "red")
  }

  @Test(arguments: Engine.allCases)
  func `the first that has the type and satisfies the condition`(engine: Engine) async throws {
    let store = try await shop(engine)
    #expect(try await store.firstRelated("shop", .owns)?.id == "till")
    #expect(try await store.firstRelated("shop", .owns, type: "Hat")?.id == "red")
    let blue = try await store.firstRelated("shop", .owns, where: Field("color") == "blue")
    #expect(blue?.id == "blue")
    #expect(try await store.firstRelated("shop", .owns, type: "Shop") == nil)
    #expect(try await store.firstRelated("nobody", .owns) == nil)
  }

  @Test(arguments: Engine.allCases)
  func `reading relations counts without the dead and the unknown`(engine: Engine) async throws {
    let store = try await shop(engine)
    #expect(try await store.relatedCount("shop", .owns) == 3)
    #expect(try await store.relatedCount("shop", .owns, type: "Hat") == 2)
    #expect(try await store.relatedCount("blue", .ownedBy) == 1)
    try await store.erase("red")
    #expect(try await store.relatedCount("shop", .owns) == 2)
    #expect(try await store.relatedIDs("shop", .owns) == ["till", "blue", "unknown"])
  }

  @Test func `reading relations from an alias, strictly`() async throws {
    let store = try await shop(.reference)
    let hats = try await Alias("shop", as: "Place").related(anyOf: [.owns], type: "Hat", in: store)
    #expect(hats.map(\.id) == ["red", "blue"])
    let failures: [(Alias, VarveError.Code)] = [
      (Alias("shop", as: "Hat"), .typeMismatch), (Alias("x"), .notFound),
    ]
    for (alias, code) in failures {
      let error = await failure { _ = try await alias.related(anyOf: [.owns], in: store) }
      #expect(error?.code == code)
    }
    let outside = await failure { _ = try await Alias("shop").related(anyOf: [.owns], in: nil) }
    #expect(outside?.code == .noContainer)
  }

  @Test(arguments: Engine.allCases)
  func `names of any text are harmless`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b'; DROP TABLE varve_link; --", "\u{0}", "é", "e\u{301}")
    let names: [PropertyKey] = ["", "'", "\"; --", "\u{0}", "é", "e\u{301}", "A", "a"]
    let targets: [EntityID] = ["b'; DROP TABLE varve_link; --", "\u{0}", "é", "e\u{301}"]
    try await store.write { tx in
      for name in names {
        for target in targets { try await tx.relate("a", .owns, target, named: name) }
      }
    }
    for name in names {
      #expect(try await store.relatedIDs("a", .owns, named: name) == targets)
    }
    try await store.unrelate("a", .owns, "é", named: "é")
    #expect(try await store.relatedIDs("a", .owns, named: "e\u{301}") == targets)
    #expect(try await store.relatedCount("é", .ownedBy, named: "é") == 0)
    #expect(try await store.erase("a").count == 5)
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases)
  func `relations of all names are in the order of their declaration`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("x", "p1", "p2", "p3")
    try await store.relate("x", .owns, "p3", named: "z")
    try await store.relate("x", .owns, "p1")
    try await store.relate("x", .owns, "p2", named: "a")
    #expect(try await store.relatedIDs("x", .owns) == ["p3", "p1", "p2"])
    #expect(try await store.firstRelated("x", .owns)?.id == "p3")
    #expect(try await store.previewErasure(of: ["x"]).deaths.map(\.id) == ["x", "p3", "p1", "p2"])
    #expect(try await store.erase(["x"]) == ["x", "p3", "p1", "p2"])
  }
}
