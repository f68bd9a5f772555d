import Foundation
import Testing
import VarveCore
import VarveStore

/// A model with Codable, written without the macro.
private struct Badge: Persistable, Codable {
  static let schema = Schema<Badge>("badges") {
    SchemaField("text", \.text)
    SchemaField("given", \.given)
    SchemaField("hat", \.hat)
    SchemaField("others", \.others)
  }

  var id = Identifier<Badge>()
  var text: String
  var given: Date?
  var hat: Ref<Hat>?
  var others = Many<Badge>()

  init(id: Identifier<Badge> = Identifier(), _ text: String) {
    self.id = id
    self.text = text
  }

  init(row: EntityRow) throws {
    id = try row.id()
    text = try row.read(0)
    given = try row.read(1)
    hat = try row.read(2)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(text)
    try values.append(given)
    try values.append(hat)
  }
}

/// A Codable value with references and values inside.
private struct Note: Codable, Hashable {
  var about: Ref<Hat>
  var more: [Ref<Hat>]
  var values: [Value]
}

@Suite("Codable")
struct CodableNamesTests {
  private var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }

  private var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func again<V: Codable>(_ value: V) throws -> V {
    try decoder.decode(V.self, from: encoder.encode(value))
  }

  @Test func `codable of a model has its relations as identifiers, loaded or not`() async throws {
    let store = try await makeStore(.memory)
    try await store.save(Hat(id: "hat-1", "red", 8))
    var badge = Badge(id: "b", "first")
    badge.given = .test(0)
    badge.hat = Ref("hat-1")
    #expect(
      try json(badge)
        == #"{"given":"2023-11-14T22:13:20Z","hat":"hat-1","id":"b","others":null,"text":"first"}"#
    )
    try await store.save(badge)
    let other = Badge(id: "c", "second")
    try await store.save(other)
    badge.others = [other]
    try await store.save(badge)
    let loaded = try #require(
      try await store.first(Badge.all.with(\.hat).with(\.others).where { $0.text == "first" })
    )
    #expect(loaded.hat?.loaded != nil)
    #expect(
      try json(loaded)
        == #"{"given":"2023-11-14T22:13:20Z","hat":"hat-1","id":"b","others":["c"],"text":"first"}"#
    )
    // A relation that was not given is not written.
    let partial = try decoder.decode(
      Badge.self,
      from: Data(#"{"id":"b","text":"changed"}"#.utf8)
    )
    #expect(partial.others.ids == nil && partial.hat == nil)
    try await store.save(partial)
    #expect(try await store.collection(of: "b", "others") == ["c"])
    let emptied = try decoder.decode(
      Badge.self,
      from: Data(#"{"id":"b","text":"changed","others":[]}"#.utf8)
    )
    try await store.save(emptied)
    #expect(try await store.collection(of: "b", "others") == [])
  }

  @Test func `codable refuses an identifier that is none`() throws {
    for text in [#"[""]"#, "[1]", "[null]"] {
      #expect(throws: DecodingError.self) {
        try decoder.decode([Ref<Hat>].self, from: Data(text.utf8))
      }
      #expect(throws: DecodingError.self) {
        try decoder.decode(Many<Hat>.self, from: Data(text.utf8))
      }
    }
  }

  @Test func `values inside a stored value keep their kind: references are references`()
    async throws
  {
    let note = Note(about: Ref("hat-1"), more: [Ref("hat-2")], values: [1, 2.0, "x", [true]])
    let value = try ValueEncoder().encode(note)
    #expect(
      value
        == [
          "about": .reference("hat-1"), "more": [.reference("hat-2")],
          "values": [1, 2.0, "x", [true]],
        ]
    )
    #expect(try ValueDecoder().decode(Note.self, from: value) == note)
  }

  @Test func `values of all kinds are objects named after the kind`() throws {
    let values: [Value] = [
      true, .int(.max), 12.0, .double(0.1), "é", .date(.test(0)), .data(Data([1, 2])),
      .reference("hat-1"), [1, ["x"]], ["a": 1, "b": ["c": false]], .double(.infinity),
      .double(-.infinity),
    ]
    #expect(try again(values) == values)
    #expect(try json([Value.int(12)]) == #"[{"integer":12}]"#)
    #expect(try json([Value.reference("h")]) == #"[{"entity":"h"}]"#)
    #expect(try json([Value.double(.nan)]) == #"[{"double":"NaN"}]"#)
    #expect(try json([["a": 1] as Value]) == #"[{"dictionary":{"a":{"integer":1}}}]"#)
    for wrong in ["[{}]", #"[{"integer":1,"string":""}]"#, #"[{"double":"x"}]"#, "[1]"] {
      #expect(throws: DecodingError.self) {
        try decoder.decode([Value].self, from: Data(wrong.utf8))
      }
    }
    #expect(throws: EncodingError.self) { try json(["\u{E9}": 1, "e\u{301}": 2] as Value) }
  }

  @Test func `versions of every kind and change sets come back whole`() async throws {
    let store = try await makeStore(.memory)
    let changes = try await store.changes()
    try await store.as("sam", message: "first").create("Hat", id: "a", ["color": "red"])
    try await store.createNodes("n", "m")
    try await store.own(("n", "a"))
    try await store.set("a", "color", "blue", at: .test(-5))
    try await store.write { tx in
      try await tx.remove("a", "color")
      try await tx.set("a", "size", 9.5)
      try await tx.setCollection("a", "parts", to: ["n", "m"])
      try await tx.unrelate("n", .owns, "a")
    }
    try await store.setCollection("a", "parts", to: ["m"])
    try await store.erase("a")
    try await store.restore("a")
    try await store.erase("a")
    try await store.create("Cap", id: "a")
    let commit = try #require(try await store.log().first)
    try await store.undo(commit.id)
    try await store.purge(["m"])
    var versions: [Version] = []
    for id: EntityID in ["a", "n"] { versions += try await store.history(of: id) }
    #expect(versions.count > 10)
    #expect(try again(versions) == versions)
    let log = try await store.log()
    #expect(try again(log) == log)
    var sets: [ChangeSet] = []
    while let change = changes.poll() { sets.append(change) }
    #expect(sets.count > 5)
    #expect(try again(sets) == sets)
    let frontier = try await store.frontier()
    #expect(try again(frontier) == frontier)
    let set = try #require(sets.first)
    #expect(try json(set).hasPrefix(#"{"action":"create","added":["a"],"changed":[],"commit":{"#))
  }
}
