import Testing
import VarveCore
import VarveStore

@Suite("A store that refuses unreadable rows")
struct RefusedRowTests {
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine) { $0.unreadableRows = .refuse }
    for (id, color) in [("a", "red"), ("b", 1), ("c", "blue")] as [(EntityID, Value)] {
      try await store.create("hats", id: id, ["color": color])
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `throws what reading the entity throws, however it is read`(engine: Engine) async throws {
    let store = try await store(engine)
    let past = store.asOf(try await store.frontier())
    let found = await failure { _ = try await store.find(Identifier<Hat>("b")) }
    #expect(found?.code == .fieldType && found?.entity == "b" && found?.property == "color")
    func expectRefusal(_ state: some Reading) async {
      let errors = [
        await failure { _ = try await state.fetch(Hat.all) },
        await failure { _ = try await state.fetch(Hat.all.limit(2)) },
        await failure { _ = try await state.first(Hat.all.offset(1)) },
        await failure { _ = try await state.last(Hat.all.limit(2)) },
        await failure { _ = try await state.fetch(Hat.all.select(\.color)) },
        await failure { _ = try await state.page(of: Hat.all, size: 2) },
        await failure { for try await _ in state.stream(Hat.all) {} },
        await failure { for try await _ in state.stream(Hat.all, pageSize: 1) {} },
      ]
      for error in errors { #expect(error == found) }
      let union = await failure { _ = try await state.fetch(EitherHat.self) }
      #expect(union == found)
    }
    await expectRefusal(store)
    await expectRefusal(past)
    try await store.read { await expectRefusal($0) }
    try await past.read { await expectRefusal($0) }
    try await store.write { await expectRefusal($0) }
  }

  @Test(arguments: Engine.allCases)
  func `reads what is readable, and reports the rest on request`(engine: Engine) async throws {
    let store = try await store(engine)
    #expect(try await store.fetch(Hat.where { $0.color == "red" }).map(\.id.text) == ["a"])
    #expect(try await store.first(Hat.all)?.id.text == "a")
    let report = try await store.fetchReport(Hat.all)
    #expect(report.models.map(\.id.text) == ["a", "c"])
    #expect(report.unreadable.map(\.id) == ["b"])
    #expect(try await store.count(Hat.all) == 3)
  }

  @Test(arguments: Engine.allCases)
  func `a store that refuses unreadable rows throws for objects as well`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine) { $0.unreadableRows = .refuse }
    try await store.create("Square", id: "s", ["side": "wide"])
    let objects = try await Objects.ofShapes(store)
    let found = await failure { _ = try await objects.load("s", as: Square.self) }
    #expect(found != nil)
    let error = await failure { _ = try await objects.loadAll(Square.self) }
    #expect(error?.code == found?.code && error?.entity == found?.entity)
  }

  @Test(arguments: Engine.allCases)
  func `throws in a hook as well, which vetoes the erasure`(engine: Engine) async throws {
    let store = try await store(engine)
    let registration = store.willErase { _, state in _ = try await state.fetch(Hat.all) }
    let error = await failure { _ = try await store.erase("a") }
    #expect(error != nil)
    registration.cancel()
    #expect(try await store.exists("a"))
  }
}

private enum EitherHat: PersistableUnion {
  case hat(Hat)
  static let members = [UnionMember(EitherHat.hat)]
  var model: any Persistable {
    switch self {
    case .hat(let hat): hat
    }
  }
}
