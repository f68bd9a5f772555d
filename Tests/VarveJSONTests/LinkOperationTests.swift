import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore

@Suite("The operation link")
struct LinkOperationTests {
  private let store: Store
  private let runner: OperationRunner

  init() async throws {
    store = try await makeStore()
    runner = OperationRunner(store)
    try await store.write(at: Date(timeIntervalSince1970: 1_577_836_800)) { transaction in
      for id in ["x", "a", "b", "c"] as [EntityID] { try await transaction.create("T", id: id) }
    }
  }

  /// Links `x`; returns whether anything was written.
  private func link(_ to: [String], _ many: CollectionKind?, at date: String?) async -> JSON? {
    var members: [JSON.Member] = [
      .init(name: "op", value: "link"), .init(name: "id", value: "x"),
      .init(name: "property", value: "m"), .init(name: "to", value: .array(to.map(JSON.string))),
    ]
    if let many { members.append(.init(name: "many", value: .string(many.rawValue))) }
    if let date { members.append(.init(name: "at", value: .string(date))) }
    return await runner.run(.object(members))["result"]
  }

  private func targets(_ many: CollectionKind?, asOf date: String?) async throws -> [EntityID] {
    let time = try date.map { try Date($0 + "T12:00:00Z", strategy: .iso8601) }
    let state = try time.map { try store.asOf($0) } ?? store.asOf(Moment.now)
    guard many != nil else {
      return [try await state.require("x")["m"].flatMap(EntityID.init(referenceIn:))]
        .compactMap(\.self)
    }
    return try await state.collection(of: "x", "m") ?? []
  }

  @Test(arguments: [nil, .list, .orderedSet, .set] as [CollectionKind?])
  func `holds without a date despite one for an earlier date`(many: CollectionKind?) async throws {
    #expect(await link(["a"], many, at: nil) == true)
    #expect(await link(["c"], many, at: "2022-01-01") == true)
    #expect(try await targets(many, asOf: nil) == ["a"])
    #expect(try await targets(many, asOf: "2022-06-01") == ["c"])
    #expect(try await targets(many, asOf: "2021-06-01") == [])
    #expect(await link(["a"], many, at: nil) == false)
  }

  @Test(arguments: [nil, .list, .orderedSet, .set] as [CollectionKind?])
  func `holds from its date to the next, even if it changes nothing`(many: CollectionKind?)
    async throws
  {
    #expect(await link(["a"], many, at: "2021-01-01") == true)
    #expect(await link(["a"], many, at: "2023-01-01") == true)
    #expect(await link(["a"], many, at: "2023-01-01") == false)
    #expect(await link(["b"], many, at: "2022-01-01") == true)
    #expect(try await targets(many, asOf: "2022-06-01") == ["b"])
    #expect(try await targets(many, asOf: nil) == ["a"])
  }

  @Test func `ends for an earlier date where an import set the property`() async throws {
    let mapping = Mapping("T", identifiedBy: "k") {
      Attribute("k")
      ToMany(ids: "m", of: "T", as: .list)
    }
    for date in [nil, "2022-01-01"] as [String?] {
      let store = try await makeStore()
      try await store.write(at: Date(timeIntervalSince1970: 1_577_836_800)) { transaction in
        for id in ["T/x", "T/a", "T/b"] as [EntityID] {
          try await transaction.create("T", id: id, ["k": .string(String(id.text.dropFirst(2)))])
        }
        try await transaction.setCollection("T/x", "m", to: ["T/b"])
      }
      // An import for a date compares with the past if something later is stored.
      try await store.set("T/x", "p", 1)
      var options = ImportOptions()
      options.roots = [.init(as: "T")]
      options.time = try date.map { try Date($0 + "T00:00:00Z", strategy: .iso8601) }
      let document = DocumentSource(text: #"[{"k": "x", "m": ["a"]}]"#)
      try await store.import(document, by: Mappings([mapping]), options)
      let early = try Date("2021-01-01T00:00:00Z", strategy: .iso8601)
      try await store.setCollection("T/x", "m", to: ["T/b", "T/x"], at: early)
      #expect(try await store.collection(of: "T/x", "m") == ["T/a"])
      let then = try Date("2021-06-01T00:00:00Z", strategy: .iso8601)
      #expect(try await store.asOf(then).collection(of: "T/x", "m") == ["T/b", "T/x"])
    }
  }
}
