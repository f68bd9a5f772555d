import Foundation
import Testing
import VarveCore
import VarveStore

private struct Note: Persistable {
  static let schema = Schema<Note>("notes") {
    SchemaField("rank", \.title, .searchable)
    SchemaField("body", \.body, .searchable)
    SchemaField("author", \.author)
  }
  var id = Identifier<Note>()
  var title: String
  var body: String?
  var author: Ref<Customer>?
  init(_ title: String, _ body: String? = nil, author: Ref<Customer>? = nil) {
    (self.title, self.body, self.author) = (title, body, author)
  }
  init(row: EntityRow) throws {
    id = try row.id()
    title = try row.read(0)
    body = try row.read(1)
    author = try row.read(2)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(title)
    try values.append(body)
    try values.append(author)
  }
}

private struct RenamedText: Persistable {
  static let schema = Schema<RenamedText>("texts") {
    SchemaField("new", \.text, .searchable, .renamed(from: "old", "oldest"))
    SchemaField("more", \.more, .searchable)
  }
  var id = Identifier<RenamedText>()
  var text: String?
  var more: String?
  init(row: EntityRow) throws {
    id = try row.id()
    text = try? row.read(0)
    more = try row.read(1)
  }
  func write(to values: inout PropertyValues) throws {
    try values.append(text)
    try values.append(more)
  }
}

@Suite("Full-text search")
struct SearchTests {
  @Test(arguments: [Value.int(5), .reference("a"), .date(.now), ["hello"]]
  )
  func `finds texts in properties whose first value was none, or whose type has many keys`(
    first: Value
  ) async throws {
    let store = try await makeStore(.file)
    try await store.create("B", id: "e0", ["z": first])
    try await store.create("B", id: "e1", ["z": "hello"])
    try await store.addSearch(on: ["z", "zz"], of: "B")
    let query = Query("B").where(.matches("hello", [Field("z"), Field("zz")]))
    #expect(try await store.fetch(query).map(\.id) == ["e1"])
    let before = try await store.frontier()
    // From the 201st key on, the values of a key have no column.
    for number in 0..<200 { try await store.set("e0", PropertyKey("k\(number)"), .int(1)) }
    try await store.set("e0", "zz", "hello you")
    try await store.set("e1", "z", .int(3))
    #expect(try await store.fetch(query).map(\.id) == ["e0"])
    #expect(try await store.asOf(before).fetch(query).map(\.id) == ["e1"])
    #expect(try await store.check().findings == [])
    try await store.rebuild()
    #expect(try await store.fetch(query).map(\.id) == ["e0"])
    #expect(try await store.asOf(before).fetch(query).map(\.id) == ["e1"])
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `all words must be there, in whichever property, and it keeps up`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.save([
      Note("Red hats", "made of wool"), Note("Blue hats", "made of felt"), Note("WOOL", nil),
    ])
    func found(_ words: String) async throws -> [String] {
      try await store.fetch(Note.all.matching(words)).map(\.title)
    }
    #expect(try await found("wool") == ["Red hats", "WOOL"])
    #expect(try await found("hats made") == ["Red hats", "Blue hats"])
    #expect(try await found("HAT*") == ["Red hats", "Blue hats"])
    #expect(try await found("hat") == [])
    #expect(try await found("  ") == [])
    #expect(try await store.count(Note.all.matching("wool", in: \.title)) == 1)
    var note = try #require(try await store.first(Note.all.matching("felt")))
    note.body = "made of wool"
    try await store.save(note)
    #expect(try await found("felt") == [])
    #expect(try await found("wool") == ["Red hats", "Blue hats", "WOOL"])
    try await store.erase(note)
    #expect(try await found("wool") == ["Red hats", "WOOL"])
    try await store.restore(note.id.entityID)
    #expect(try await found("wool").count == 3)
    try await store.rebuild()
    #expect(try await found("wool").count == 3)
    #expect(try await store.check().isClean)
    try await store.write { tx in
      try await tx.save(Note("inside"))
      #expect(try await tx.fetch(Note.all.matching("inside")).count == 1)
    }
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `it works in an empty store, and with joined models`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    #expect(try await store.count(Note.all.matching("wool")) == 0)
    let ann = try await store.save(Customer("Ann"))
    try await store.save([Note("wool", author: ann.ref), Note("felt")])
    #expect(try await store.count(Note.all.matching("wool")) == 1)
    let writers = Customer.all.join(Note.self, on: \.author, equals: \.id)
      .where(joined: Note.self) { .matches("wool", [$0.title.field]) }
    #expect(try await store.fetch(writers).map(\.name) == ["Ann"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `searched texts are words, never operators`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.save(Note("plain text"))
    for text in [
      "\"", "a OR", "NOT plain", "plain)", "{rank}: plain", "*", "**", "^plain", "plain NEAR text",
      "\u{0}",
      "a\u{0}b", "'; DROP TABLE notes; --", "-plain", "(",
    ] {
      _ = try await store.fetch(Note.all.matching(text))
    }
    #expect(try await store.count(Note.all.matching("plain\" text")) == 1)
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `a value under an older name is found only if there is none under a newer one`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("texts", id: "moved", ["old": "wool stale", "new": "felt fresh"])
    try await store.create("texts", id: "old", ["old": "wool here"])
    try await store.create("texts", id: "number", ["old": "wool there", "new": 5])
    try await store.create("texts", id: "oldest", ["oldest": "wool", "more": "extra"])
    func found(_ words: String) async throws -> [EntityID] {
      try await store.fetch(RenamedText.all.matching(words)).map(\.id.entityID)
    }
    #expect(try await found("wool") == ["old", "oldest"])
    #expect(try await found("stale") == [])
    #expect(try await found("fresh felt") == ["moved"])
    #expect(try await found("extra wool") == ["oldest"])
    #expect(try await found("wool fresh") == [])
    try await store.set("old", "new", "felt")
    #expect(try await found("wool") == ["oldest"])
    try await store.remove("old", "new")
    #expect(try await found("here") == ["old"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: [Engine.memory, .file])
  func `a past state is searched by the words that it has`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    var note = try await store.save(Note("wool", "red"))
    try await store.save(Note("felt", "red red"))
    let then = store.asOf(try await store.frontier())
    note.title = "cotton"
    try await store.save(note)
    #expect(try await then.fetch(Note.all.matching("wool")).map(\.title) == ["wool"])
    #expect(try await then.count(Note.all.matching("cotton")) == 0)
    #expect(try await store.count(Note.all.matching("wool")) == 0)
    let ranked = Note.all.matching("red", byRelevance: true)
    #expect(try await then.fetch(ranked).map(\.title) == ["felt", "wool"])
    #expect(try await store.fetch(ranked).map(\.title) == ["felt", "cotton"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `every way to read a query prepares its search`(engine: Engine) async throws {
    let query = Query("texts").matching("wool", in: ["new"], byRelevance: true)
    let model = RenamedText.all.matching("wool", in: \.text)
    let ways: [@Sendable (Store) async throws -> Int] = [
      { try await $0.fetch(query).count },
      { try await $0.first(query) == nil ? 0 : 1 },
      { try await $0.count(query) },
      { try await $0.exists(query) ? 1 : 0 },
      { try await $0.aggregate(query, [Aggregation(.count)])[0].values[0] == 1 ? 1 : 0 },
      { try await $0.stream(query).reduce(0) { count, _ in count + 1 } },
      { try await $0.fetch(model).count },
      { try await $0.first(model) == nil ? 0 : 1 },
      { try await $0.last(model) == nil ? 0 : 1 },
      { try await $0.count(model) },
      { try await $0.page(of: model, size: 2).models.count },
      { try await $0.fetch(model.select(\.text)).count },
      { try await $0.aggregate(model, .count) },
      { try await $0.stream(model).reduce(0) { count, _ in count + 1 } },
      { try await $0.asOf(try await $0.frontier()).fetch(query).count },
      { try await $0.asOf(try await $0.frontier()).stream(model).reduce(0) { sum, _ in sum + 1 } },
    ]
    for (number, way) in ways.enumerated() {
      let store = try await makeStore(engine)
      try await store.create("texts", ["new": "red wool"])
      #expect(try await way(store) == 1, "\(number)")
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `words in quotes are searched in a row`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.save([Note("red wool hat"), Note("wool red hat"), Note("red", "wool")])
    func found(_ words: String) async throws -> [String] {
      try await store.fetch(Note.all.matching(words)).map(\.title)
    }
    #expect(try await found("\"red wool\"") == ["red wool hat"])
    #expect(try await found("\"wool red\" ha*") == ["wool red hat"])
    #expect(try await found("\"red wool") == ["red wool hat", "wool red hat", "red"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `the most relevant come first, in pages too`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.save([
      Note("hat"), Note("wool hat of wool and wool"), Note("wool"), Note("a hat, a cap and wool"),
    ])
    let query = Note.all.matching("wool", byRelevance: true)
    let ranked = try await store.fetch(query).map(\.title)
    #expect(ranked.first == "wool hat of wool and wool" || ranked.first == "wool")
    #expect(ranked.last == "a hat, a cap and wool")
    var paged: [String] = []
    var mark: PageMark?
    repeat {
      let page = try await store.page(of: query, size: 1, after: mark)
      paged += page.models.map(\.title)
      mark = page.next
    } while mark != nil
    #expect(paged == ranked)
    var streamed: [String] = []
    for try await note in store.stream(query, pageSize: 1) { streamed.append(note.title) }
    #expect(streamed == ranked)
    try await store.write { tx in
      try await tx.save(Note("wool wool wool"))
      #expect(try await tx.fetch(query).first?.title == "wool wool wool")
    }
  }

  @Test(arguments: [Engine.memory, .file]
  )
  func `words of one and two characters are found in texts without spaces`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.addSearch(on: ["name", "note"], of: "texts", by: .substrings)
    try await store.create("texts", id: "a", ["name": "東京都に行く", "note": "旅行"])
    try await store.create("texts", id: "b", ["name": "上海市", "note": "Ab 1"])
    try await store.create("texts", id: "c", ["name": "京都 kyoto"])
    let past = try await store.frontier()
    try await store.set("c", "name", "大阪")
    func found(_ words: String, _ state: some Reading) async throws -> [EntityID] {
      try await state.fetch(Query("texts").matching(words, in: ["name", "note"])).map(\.id)
    }
    for (words, now, then) in [
      ("東京", ["a"], ["a"]), ("京都", ["a"], ["a", "c"]), ("上海", ["b"], ["b"]),
      ("京", ["a"], ["a", "c"]), ("東京 旅行", ["a"], ["a"]), ("\"東京\"", ["a"], ["a"]),
      ("京*", ["a"], ["a", "c"]), ("AB", ["b"], ["b"]), ("東京都 旅", ["a"], ["a"]),
      ("東京 上海", [], []), ("都に行く 旅", ["a"], ["a"]),
    ] as [(String, [EntityID], [EntityID])] {
      #expect(try await found(words, store) == now, "\(words)")
      #expect(try await found(words, store.asOf(past)) == then, "\(words) before")
    }
    let ranked = Query("texts").matching("東京", in: ["name", "note"], byRelevance: true)
    #expect(try await store.fetch(ranked).map(\.id) == ["a"])
  }

  @Test(arguments: [Engine.memory, .file])
  func `another tokenizer takes the place of the former`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("texts", id: "a", ["new": "bowlers", "more": "caf\u{e9}"])
    func count(_ words: String, _ key: PropertyKey) async throws -> Int {
      try await store.count(Query("texts").matching(words, in: [key]))
    }
    #expect(try await count("owl", "new") == 0)
    #expect(try await count("cafe", "more") == 1)
    try await store.addSearch(on: ["new"], of: "texts", by: .substrings)
    try await store.addSearch(on: ["more"], of: "texts", by: .accents)
    #expect(try await count("owl", "new") == 1)
    #expect(try await count("cafe", "more") == 0)
    try await store.rebuild()
    #expect(try await count("OWL", "new") == 1)
    try await store.addSearch(on: ["new"], of: "texts", by: .stems)
    #expect(try await count("bowler", "new") == 1)
    #expect(try await count("owl", "new") == 0)
    // A search that names no tokenizer changes none, and a model's declaration does.
    #expect(try await store.count(RenamedText.all.matching("bowler", in: \.text)) == 0)
    #expect(try await count("bowlers", "new") == 1)
    #expect(try await store.check().findings == [])
    try await store.removeSearch(on: ["new", "more"], of: "texts")
    #expect(try await store.check().findings == [])
    #expect(try await count("bowlers", "new") == 1)
  }
}
