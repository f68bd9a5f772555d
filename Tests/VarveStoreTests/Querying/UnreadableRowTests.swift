import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Unreadable rows")
struct UnreadableRowTests {
  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    for (id, color) in [("a", 1), ("b", "red"), ("c", 2), ("d", "blue"), ("e", "red")]
      as [(EntityID, Value)]
    {
      try await store.create("hats", id: id, ["color": color])
    }
    return store
  }

  @Test(arguments: Engine.allCases)
  func `unreadable rows take no room in a window, however models are fetched`(engine: Engine)
    async throws
  {
    let store = try await store(engine)
    let all = ["b", "d", "e"]
    for offset in 0...4 {
      for limit in 0...4 {
        let query = Hat.all.offset(offset).limit(limit)
        let expected = Array(all.dropFirst(offset).prefix(limit))
        #expect(try await store.fetch(query).map(\.id.text) == expected)
        #expect(try await store.first(query)?.id.text == expected.first)
        #expect(try await store.last(query)?.id.text == expected.last)
        var streamed: [String] = []
        for try await hat in store.stream(query, pageSize: 2) { streamed.append(hat.id.text) }
        #expect(streamed == expected)
        #expect(try await store.fetch(query.select(\.id, \.color)).map(\.0.text) == expected)
        let narrowed = try await store.fetch(AnyHat.self) { $0.offset(offset).limit(limit) }
        #expect(narrowed.map(\.hat.id.text) == expected)
        for id in all {
          let found = try await store.find(Identifier<Hat>(try EntityID(id)), in: query)
          #expect((found != nil) == expected.contains(id))
        }
      }
    }
    #expect(try await store.fetch(Hat.all.offset(1)).map(\.id.text) == ["d", "e"])
    #expect(try await store.fetch(Hat.all.offset(.max).limit(.max)).isEmpty)
    // Rows are counted, as documented.
    #expect(try await store.count(Hat.all) == 5)
  }

  @Test(arguments: Engine.allCases)
  func `distinct queries return each selected combination once`(engine: Engine) async throws {
    let store = try await store(engine)
    #expect(try await store.fetch(Hat.all.distinct.select(\.color)) == ["red", "blue"])
    let ordered = Hat.all.order(by: \.color).distinct
    #expect(try await store.fetch(ordered.select(\.color)) == ["blue", "red"])
    #expect(try await store.fetch(ordered.offset(1).limit(1).select(\.color)) == ["red"])
    #expect(try await store.fetch(Hat.all.select(\.color)) == ["red", "blue", "red"])
  }
}

private enum AnyHat: PersistableUnion {
  case hat(Hat)
  static let members = [UnionMember(AnyHat.hat)]
  var hat: Hat {
    switch self {
    case .hat(let hat): hat
    }
  }
  var model: any Persistable { hat }
}
