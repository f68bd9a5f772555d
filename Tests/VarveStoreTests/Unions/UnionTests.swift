import Testing
import VarveCore
import VarveStore

private struct Disc: Persistable {
  static let schema = Schema<Disc>("discs") {
    SchemaField("width", \.width)
    SchemaField("color", \.color)
  }
  var id = Identifier<Disc>()
  var width: Double
  var color: String?

  init(id: Identifier<Disc> = Identifier(), width: Double, color: String? = nil) {
    (self.id, self.width, self.color) = (id, width, color)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    width = try row.read(0)
    color = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(width)
    try values.append(color)
  }
}

private struct Label: Persistable {
  static let schema = Schema<Label>("labels") {
    SchemaField("text", \.text)
    SchemaField("width", \.width)
  }
  var id = Identifier<Label>()
  var text: String
  var width: Int

  init(id: Identifier<Label> = Identifier(), text: String, width: Int) {
    (self.id, self.text, self.width) = (id, text, width)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    text = try row.read(0)
    width = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(text)
    try values.append(width)
  }
}

private enum Item: PersistableUnion {
  case disc(Disc)
  case label(Label)

  static let members = [UnionMember(Item.disc), UnionMember(Item.label)]
  var model: any Persistable {
    switch self {
    case .disc(let disc): disc
    case .label(let label): label
    }
  }
  var name: String {
    switch self {
    case .disc(let disc): "disc \(disc.width) \(disc.color ?? "-")"
    case .label(let label): "label \(label.width) \(label.text)"
    }
  }
}

@Suite struct UnionTests {
  private func filled(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.save(Item.disc(Disc(id: "d1", width: 1.5, color: "red")))
    try await store.save(Item.label(Label(id: "l1", text: "b", width: 2)))
    try await store.save(Item.disc(Disc(id: "d2", width: 2.5)))
    try await store.save(Item.label(Label(id: "l2", text: "a", width: 3)))
    return store
  }

  @Test(arguments: Engine.allCases)
  func `models of several types are fetched together, in order of creation`(
    engine: Engine
  ) async throws {
    let items = try await filled(engine).fetch(Item.self)
    #expect(items.map(\.name) == ["disc 1.5 red", "label 2 b", "disc 2.5 -", "label 3 a"])
  }

  @Test(arguments: Engine.allCases)
  func `conditions, orders and windows hold for all of them`(engine: Engine) async throws {
    let store = try await filled(engine)
    let width = Field("width")
    let wide = try await store.fetch(Item.self) {
      $0.where(width > 1.75).order(by: width, descending: true)
    }
    #expect(wide.map(\.name) == ["label 3 a", "disc 2.5 -", "label 2 b"])
    let second = try await store.fetch(Item.self) { $0.order(by: width).offset(1).limit(2) }
    #expect(second.map(\.name) == ["label 2 b", "disc 2.5 -"])
    let red = try await store.fetch(Item.self) { $0.where(Field("color") == "red") }
    #expect(red.map(\.name) == ["disc 1.5 red"])
    let texts = try await store.fetch(Item.self) { $0.order(by: Field("text")) }
    #expect(texts.suffix(2).map(\.name) == ["label 3 a", "label 2 b"])
    #expect(try await store.count(Item.query.where(width > 2)) == 2)
  }

  @Test(arguments: Engine.allCases)
  func `past states and transactions support them too`(engine: Engine) async throws {
    let store = try await filled(engine)
    let before = try await store.frontier()
    let count = try await store.write { tx in
      try await tx.erase("d1")
      try await tx.save(Item.disc(Disc(id: "d3", width: 9)))
      try await tx.set("l1", "width", 7)
      return try await tx.fetch(Item.self) { $0.where(Field("width") > 2) }.map(\.name)
    }
    #expect(count == ["label 7 b", "disc 2.5 -", "label 3 a", "disc 9.0 -"])
    let past = try await store.asOf(before).fetch(Item.self)
    #expect(past.map(\.name) == ["disc 1.5 red", "label 2 b", "disc 2.5 -", "label 3 a"])
  }

  @Test(arguments: Engine.allCases)
  func `values of unlike kinds under one key are compared as anywhere`(
    engine: Engine
  ) async throws {
    let store = try await filled(engine)
    try await store.create("discs", id: "d9", ["width": "broad"])
    try await store.create("labels", id: "l9", ["width": 4, "text": .date(.test(0))])
    let query = Item.query.order(by: Field("width")).where(Field("width") >= 3)
    #expect(try await store.fetch(query).map(\.id) == ["l2", "l9"])
    let all = try await store.fetch(Item.query.order(by: Field("width"))).map(\.id)
    #expect(all == ["d1", "l1", "d2", "l2", "l9", "d9"])
    #expect(try await store.fetch(Item.self).count == 4)
  }

  @Test(arguments: Engine.allCases)
  func `one is found by its identifier, whatever it is`(engine: Engine) async throws {
    let store = try await filled(engine)
    #expect(try await store.find("l1", as: Item.self)?.name == "label 2 b")
    #expect(try await store.find("d1", as: Item.self)?.name == "disc 1.5 red")
    #expect(try await store.find("nobody", as: Item.self) == nil)
    try await store.create("else", id: "e")
    let error = await failure { _ = try await store.find("e", as: Item.self) }
    #expect(error?.code == .typeMismatch)
  }

  @Test(arguments: Engine.allCases)
  func `types without entities are empty`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    #expect(try await store.fetch(Item.self).isEmpty)
    try await store.save(Item.label(Label(id: "l1", text: "b", width: 2)))
    #expect(try await store.fetch(Item.self).map(\.name) == ["label 2 b"])
  }
}
