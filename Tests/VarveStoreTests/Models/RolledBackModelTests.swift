import Testing
import VarveCore
import VarveStore

private struct Tag: Persistable {
  static let schema = Schema<Tag>("tags") {
    SchemaField("name", \.name)
    SchemaField("rank", \.rank)
  }
  var id = Identifier<Tag>()
  var name: String?
  var rank: Int?
  init(row: EntityRow) throws {
    id = try row.id()
    name = try row.read(0)
    rank = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(name)
    try values.append(rank)
  }
}

@Suite struct RolledBackModelTests {
  @Test(arguments: [Engine.memory, .file])
  func `a model is read by the columns there are after a write that made others failed`(
    engine: Engine
  ) async throws {
    struct Refusal: Error {}
    let store = try await makeStore(engine)
    try await store.create("tags", id: "t", ["other": 1])
    await #expect(throws: Refusal.self) {
      try await store.write { tx in
        try await tx.set("t", "name", "early")
        _ = try await tx.find(Identifier<Tag>("t"))
        throw Refusal()
      }
    }
    try await store.write { tx in
      try await tx.set("t", "rank", 5)
      let tag = try await tx.find(Identifier<Tag>("t"))
      #expect(tag?.rank == 5)
      #expect(tag?.name == nil)
    }
  }
}
