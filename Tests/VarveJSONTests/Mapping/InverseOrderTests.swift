import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("The inverse of a relation in a document")
struct InverseOrderTests {
  private static func mappings(_ policy: RelationPolicy = .assign) throws -> Mappings {
    try Mappings(
      json: [
        "roots": [["pointer": "", "mapping": "T"]],
        "mappings": [
          "T": [
            "id": "k", "attributes": ["k": "k"],
            "relationships": [
              [
                "from": "m", "to": "m", "many": "list", "mapping": "T", "inverse": "back",
                "policy": .string(policy.rawValue),
              ]
            ],
          ]
        ],
      ]
    )
  }

  @Test(arguments: [RelationPolicy.assign, .merge, .replace], [false, true])
  func `names the entity that named it last`(policy: RelationPolicy, isThere: Bool) async throws {
    let documents: [(String, EntityID?)] = [
      (#"[{"k":2,"m":[{"k":3}]},{"k":1,"m":[3]},{"k":2,"m":[3]}]"#, "T#2"),
      (#"[{"k":2,"m":[{"k":3}]},{"k":1,"m":[3]}]"#, "T#1"),
      (#"[{"k":1,"m":[{"k":3}]},{"k":2,"m":[3]},{"k":1,"m":[3]},{"k":2,"m":[3,4]}]"#, "T#2"),
    ]
    for (text, expected) in documents {
      let store = try await makeStore()
      if isThere {
        let all = #"[{"k":1},{"k":2},{"k":3}]"#
        try await store.import(DocumentSource(text: all), by: Self.mappings(policy))
      }
      for _ in 0..<2 {
        try await store.import(DocumentSource(text: text), by: Self.mappings(policy))
        let back = try await store.require("T#3")["back"]
        #expect(back == expected.map(Value.reference), "\(text)")
      }
      #expect(
        try await store.import(DocumentSource(text: text), by: Self.mappings(policy)).commit == nil
      )
    }
  }

  @Test func `that is given up again names what still names it`() async throws {
    let store = try await makeStore()
    let text = #"[{"k":2,"m":[{"k":3}]},{"k":1,"m":[3]},{"k":1,"m":[]}]"#
    try await store.import(DocumentSource(text: text), by: Self.mappings())
    #expect(try await store.require("T#3")["back"] == .reference("T#2"))
  }

  @Test func `names the last one also for a date before what is stored`() async throws {
    let store = try await makeStore()
    let mappings = try Self.mappings()
    var options = ImportOptions()
    options.time = try .iso("2010-01-01T00:00:00Z")
    let all = #"[{"k":1},{"k":2},{"k":3}]"#
    try await store.import(DocumentSource(text: all), by: mappings, options)
    try await store.set("T#1", "later", true)
    options.time = try .iso("2012-01-01T00:00:00Z")
    let text = #"[{"k":2,"m":[3]},{"k":1,"m":[3]},{"k":2,"m":[3]}]"#
    try await store.import(DocumentSource(text: text), by: mappings, options)
    #expect(try await store.require("T#3")["back"] == .reference("T#2"))
  }
}
