import Foundation
import Testing
import VarveCore
import VarveStore

private struct Parent: Persistable {
  static let schema = Schema<Parent>("parents") {
    SchemaField("n", \.n)
    SchemaField("kids", \.kids, .relation(.owns, inverse: \Kid.parent))
    SchemaField("wards", \.wards, .relation(inverse: \Ward.parent))
    SchemaField("list", \.list, .relation(as: .list))
  }
  var id = Identifier<Parent>()
  var n = 0
  var kids = Many<Kid>()
  var wards = Many<Ward>()
  var list = Many<Kid>()
  init() {}
  init(row: EntityRow) throws {
    id = try row.id()
    n = try row.read(0, default: 0)
  }
  func write(to values: inout PropertyValues) throws { try values.append(n) }
}

private struct Kid: Persistable {
  static let schema = Schema<Kid>("kids") {
    SchemaField("color", \.color)
    SchemaField("parent", \.parent)
  }
  var id = Identifier<Kid>()
  var color: String
  var parent: Ref<Parent>?
  init(_ color: String, of parent: Parent? = nil) {
    (self.color, self.parent) = (color, parent?.ref)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    color = try row.read(0)
    parent = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(color)
    try values.append(parent)
  }
}

private struct Ward: Persistable {
  static let schema = Schema<Ward>("wards") { SchemaField("parent", \.parent) }
  var id = Identifier<Ward>()
  var parent: Ref<Parent>
  init(of parent: Parent) { self.parent = parent.ref }
  init(row: EntityRow) throws {
    id = try row.id()
    parent = try row.read(0)
  }
  func write(to values: inout PropertyValues) throws { try values.append(parent) }
}

@Suite("A loaded relation")
struct LoadedRelationsTests {
  @Test func `a loaded relation belongs to the query: two are equal if they load the same`() {
    let all = Parent.all
    #expect(all == Parent.all)
    #expect(all.with(\.kids) == Parent.all.with(\.kids))
    #expect(all.with(\.kids).hashValue == Parent.all.with(\.kids).hashValue)
    #expect(all.with(\.kids) != all)
    #expect(all.with(\.kids) != all.with(\.wards))
    #expect(all.with(\.kids) != all.with(\.list))
    #expect(all.with(\.kids).with(\.wards) != all.with(\.kids))
    let red = all.with(\.kids) { $0.where { $0.color == "red" } }
    #expect(red == all.with(\.kids) { $0.where { $0.color == "red" } })
    #expect(red != all.with(\.kids) { $0.where { $0.color == "blue" } })
    #expect(red != all.with(\.kids))
    let deep = all.with(\.kids) { $0.with(\.parent) }
    #expect(deep == all.with(\.kids) { $0.with(\.parent) })
    #expect(deep != all.with(\.kids))
    #expect(Set([all, red, deep, all.with(\.kids), red]).count == 4)
    #expect(all.where { $0.n == 1 } != all)
  }

  @Test(arguments: Engine.allCases)
  func `a loaded relation is not written back, even if it was loaded in part`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    var parent = try await store.save(Parent())
    let kids = try await store.save([
      Kid("red", of: parent), Kid("blue", of: parent), Kid("odd", of: parent),
    ])
    parent.list = Many(kids)
    try await store.save(parent)
    try await store.set(kids[2].id.entityID, "color", 7)
    var seen = try #require(
      try await store.first(
        Parent.all.with(\.kids) { $0.where { $0.color == "red" } }.with(\.list)
      )
    )
    #expect(seen.kids.loaded?.map(\.color) == ["red"])
    try await store.save(Kid("late", of: parent))
    try await store.erase(kids[0])
    seen.n = 1
    try await store.save(seen)
    #expect(try await store.count(parent.toMany(Kid.self)) == 3)
    try await store.restore(kids[0].id.entityID)
    #expect(try await store.collection(of: parent.id.entityID, "list") == kids.map(\.id.entityID))
    #expect(try await store.relatedIDs(parent.id.entityID, .owns).count == 4)
  }

  @Test(arguments: Engine.allCases)
  func `a loaded relation is written once it is assigned`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let parent = try await store.save(Parent())
    let kids = try await store.save([Kid("red", of: parent), Kid("blue")])
    var seen = try #require(try await store.first(Parent.all.with(\.kids)))
    seen.kids = Many((seen.kids.loaded ?? []) + [kids[1]])
    try await store.save(seen)
    #expect(try await store.count(parent.toMany(Kid.self)) == 2)
  }

  @Test(arguments: Engine.allCases)
  func `a required reference cannot be removed`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var parent = try await store.save(Parent())
    try await store.save(Ward(of: parent))
    parent.wards = []
    let saved = parent
    let error = await failure { _ = try await store.save(saved) }
    #expect(error?.code == .invalidArgument)
    #expect(try await store.fetch(Ward.all).count == 1)
  }
}
