import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Any text is a legal key, type, identifier and value")
struct HostileTextTests {
  private let ids: [EntityID] = hostileTexts.indices.map { EntityID(unchecked: "entity \($0)") }

  @Test(arguments: Kind.allCases, [false, true])
  func `any text is a legal key, type, identifier and value keys`(kind: Kind, areReversed: Bool)
    async throws
  {
    let trip = try await RoundTrip(kind)
    let texts = areReversed ? hostileTexts.reversed() : hostileTexts
    let keys = texts.map(PropertyKey.init)
    // Some in columns, the rest, beyond two hundred, in the overflow.
    let fillers = (0..<150).map { PropertyKey("filler \($0)") }
    let all = Array(keys.prefix(40)) + fillers + Array(keys.dropFirst(40))
    try await trip.backend.create(
      "hat",
      "Hat",
      Dictionary(uniqueKeysWithValues: all.map { ($0, .string($0.text)) })
    )
    for (index, key) in keys.enumerated() {
      try await trip.backend.create(ids[index], "Hat", [key: .int(Int64(index))])
    }
    try await trip.backend.create("cap", "Cap", [keys[0]: true, keys[30]: "cap"])
    let moments = try await trip.past()
    for key in keys { try await trip.backend.set("hat", key, .string("now " + key.text)) }
    let queries = keys.flatMap { key in
      [
        Query("Hat").where(Field(key) == .string("now " + key.text)),
        Query("Hat").where(Field(key) >= 0).order(by: Field(key), descending: true),
        Query("Hat").where(!Field(key).isMissing),
        Query("Hat").including(["Cap"]).where(!Field(key).isMissing),
      ]
    }
    try await trip.prove(["hat"], at: moments, queries: queries)
  }

  @Test(arguments: Kind.allCases)
  func `hostile names of types are kept`(kind: Kind) async throws {
    let trip = try await RoundTrip(kind)
    for (index, text) in hostileTexts.enumerated() {
      try await trip.backend.create(
        ids[index],
        EntityType(text),
        ["text": .string(text), PropertyKey(text + "?"): true]
      )
    }
    let moments = try await trip.past()
    try await trip.backend.write(ids.prefix(30).map { .erase($0) })
    let queries = hostileTexts.map { Query(EntityType($0)).where(Field("text") == .string($0)) }
    try await trip.prove(ids, at: moments, queries: queries)
  }

  @Test(arguments: Kind.allCases)
  func `identifiers and the relations between them`(kind: Kind) async throws {
    let trip = try await RoundTrip(kind)
    let texts = hostileTexts.filter { (1...1_024).contains($0.utf8.count) }
    let uuids = [
      "0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6071", "0190A5B2-7C3D-7E4F-8A1B-2C3D4E5F6071",
      "00000000-0000-0000-0000-000000000000", "0190a5b27c3d7e4f8a1b2c3d4e5f6071",
      "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}",
    ]
    let ids = (texts + uuids).map { EntityID(unchecked: $0) }
    for (index, id) in ids.enumerated() {
      try await trip.backend.create(id, "Hat", ["n": .int(Int64(index)), "self": .reference(id)])
    }
    let moments = try await trip.past()
    for (from, to) in zip(ids, ids.dropFirst()) {
      try await trip.backend.write([
        .relate(from, Relation(.owns), to, nil), .relate(to, Relation(.free, "back"), from, nil),
      ])
    }
    try await trip.backend.write([.erase(ids[ids.count / 2])])
    let queries = ids.flatMap { id in
      [
        Query("Hat").where(.identifier == .string(id.text)),
        Query("Hat").where(Field("self") == .reference(id)),
        Query("Hat").where(.identifier > .string(id.text)).order(by: .identifier).limit(3),
      ]
    }
    try await trip.prove(ids, at: moments, queries: queries)
  }

  @Test(arguments: Kind.allCases)
  func `values, semantic types, relation names, authors and messages`(kind: Kind) async throws {
    let trip = try await RoundTrip(kind)
    for (index, text) in hostileTexts.enumerated() {
      _ = try await trip.backend.write(WriteRequest(author: text, message: text)) { writer in
        let assignment = Assignment("text", .string(text), semanticType: text.isEmpty ? "x" : text)
        let nested = Assignment("nested", .dictionary([PropertyKey(text): .array([.string(text)])]))
        let creation = Creation(ids[index], "Hat", [assignment, nested])
        try await Operation.create(creation).apply(to: writer)
        let relation = Relation(.member, PropertyKey(text))
        try await Operation.relate(ids[index], relation, ids[0], nil).apply(to: writer)
      }
    }
    let moments = try await trip.past()
    try await trip.backend.write(ids.map { .unset($0, "text", time: nil) })
    try await trip.backend.write(
      zip(ids, hostileTexts).map { .set($0, Assignment("text", .string($1)), time: nil) }
    )
    let queries = hostileTexts.flatMap { text in
      [
        Query("Hat").where(Field("text") == .string(text)),
        Query("Hat").where(Field("text").hasPrefix(text)),
        Query("Hat").where(Field("text").contains(text)),
        Query("Hat").where(Field("text") < .string(text)).order(by: Field("text")),
        Query("Hat").where(
          Field("nested") == .dictionary([PropertyKey(text): .array([.string(text)])])
        ),
      ]
    }
    let log = try await trip.backend.read(at: .now) { try await $0.log(limit: nil, offset: 0) }
    let bytes = log.reversed().prefix(hostileTexts.count).map { Array(($0.author ?? "").utf8) }
    #expect(bytes == hostileTexts.map { Array($0.utf8) })
    try await trip.prove(ids, at: moments, queries: queries)
  }
}
