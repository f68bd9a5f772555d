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
  @Test(
    "All words must be there, in whichever property, and it keeps up",
    arguments: [Engine.memory, .file]
  )
  func words(engine: Engine) async throws {
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

  @Test(
    "It may be asked before there is anything, and of what is joined",
    arguments: [Engine.memory, .file]
  )
  func early(engine: Engine) async throws {
    let store = try await makeStore(engine)
    #expect(try await store.count(Note.all.matching("wool")) == 0)
    let ann = try await store.save(Customer("Ann"))
    try await store.save([Note("wool", author: ann.ref), Note("felt")])
    #expect(try await store.count(Note.all.matching("wool")) == 1)
    let writers = Customer.all.join(Note.self, on: \.author, equals: \.id)
      .where(joined: Note.self) { .matches("wool", [$0.title.field]) }
    #expect(try await store.fetch(writers).map(\.name) == ["Ann"])
  }

  @Test("What people type is words, never operators", arguments: [Engine.memory, .file])
  func hostile(engine: Engine) async throws {
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

  @Test(
    "Under an older name it finds what stands there only where nothing stands under a newer one",
    arguments: [Engine.memory, .file]
  )
  func renamed(engine: Engine) async throws {
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

  @Test("A past state is not searched, and says so")
  func past() async throws {
    let store = try await makeStore(.file)
    try await store.save(Note("wool"))
    let then = try await store.frontier()
    let error = await failure { _ = try await store.asOf(then).fetch(Note.all.matching("wool")) }
    #expect(error?.code == .unsupported)
  }
}
