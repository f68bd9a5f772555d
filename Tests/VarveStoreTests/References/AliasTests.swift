import Testing
import VarveCore
import VarveReferences
import VarveStore

@Suite struct AliasTests {
  @Test func `strict resolution distinguishes three errors`() async throws {
    let store = try await makeStore(.reference)
    try await store.create("Hat", id: "a")
    #expect(try await Alias("a", as: "Hat").require(in: store).id == "a")
    let failures: [(Alias, VarveError.Code)] = [
      (Alias("b"), .notFound), (Alias(nil), .notFound), (Alias("a", as: "Shop"), .typeMismatch),
    ]
    for (alias, code) in failures {
      #expect(await failure { _ = try await alias.require(in: store) }?.code == code)
      #expect(try await alias.find(in: store) == nil)
    }
    #expect(await failure { _ = try await Alias("a").require(in: nil) }?.code == .noContainer)
    #expect(try await Alias("a").find(in: nil) == nil)
  }

  @Test func `lists keep order and repetition; the permissive one omits missing entities`()
    async throws
  {
    let store = try await makeStore(.reference)
    try await store.createNodes("a", "b")
    let aliases = [Alias("b"), Alias("a"), Alias("b")]
    #expect(try await store.require(aliases).map(\.id) == ["b", "a", "b"])
    #expect(await failure { _ = try await store.require([Alias("a"), Alias("x")]) } != nil)
    #expect(try await store.find([Alias("x"), Alias("a")]).map { $0?.id } == [nil, "a"])
  }
}
