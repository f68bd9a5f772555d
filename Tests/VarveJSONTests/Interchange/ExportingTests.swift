import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Exporting")
struct ExportingTests {
  let clock = TestClock()

  private func filled() async throws -> Store {
    let store = try await makeStore(clock)
    try await store.write(at: .iso("2021-01-01T00:00:00Z")) { tx in
      try await tx.create(
        "t",
        id: "a",
        properties: [
          "s": .init("x"), "i": .init(5), "b": .init(true), "f": .init(4.5), "w": .init(2.0),
          "z": .init(-0.0), "n": .init(.double(.infinity)),
          "d": .init(.date(.iso("2019-09-19T16:14:58Z"))),
          "k": .init(.data(Data("enc".utf8))), "r": .init(.reference("a"), semanticType: "owner"),
          "addr": .init("12 St", semanticType: "address"), "l": .init([1, 2.0]),
          "m": .init(["x": "y"]),
        ]
      )
    }
    return store
  }

  @Test func `compact is as simple as can be read again`() async throws {
    let text = try await filled().document(.compact)
    #expect(
      text == #"""
        {"entities":[
        {"identifier":"a","type":"t","datestamp":{"date":"2021-01-01T00:00:00Z"},"addr":{"string":"12 St","type":"address"},"b":true,"d":{"date":"2019-09-19T16:14:58Z"},"f":4.5,"i":5,"k":{"data":"ZW5j"},"l":{"array":[1,{"double":2.0}]},"m":{"dictionary":{"x":"y"}},"n":{"double":"Infinity"},"r":{"entity":"a","type":"owner"},"s":"x","w":{"double":2.0},"z":{"double":-0.0}}
        ]}

        """#
    )
  }

  @Test func `normalized spells everything out`() async throws {
    let store = try await filled()
    let document = try JSONReader.read(try await store.document(.normalized))
    guard case .array(let records)? = document["entities"] else {
      Issue.record("a document without a list")
      return
    }
    #expect(
      records[0]["w"] == [
        "double": .fraction(2), "type": "double", "datestamp": "2021-01-01T00:00:00Z",
      ]
    )
    #expect(
      records[0]["addr"]
        == ["string": "12 St", "type": "address", "datestamp": "2021-01-01T00:00:00Z"]
    )
  }

  @Test func `lists live entities in creation order, whatever their types`() async throws {
    let store = try await makeStore(clock)
    for (index, type) in ["b", "a", "b", "c", "a"].enumerated() {
      clock.advance(by: 1_000)
      try await store.create(EntityType(type), id: EntityID("e\(index)"))
    }
    try await store.erase("e2")
    let text = try await store.document(.compact)
    let ids = text.matches(of: /"identifier":"(e\d)"/).map { String($0.output.1) }
    #expect(ids == ["e0", "e1", "e3", "e4"])
  }

  @Test func `an empty store is an empty list`() async throws {
    let store = try await makeStore(clock)
    #expect(try await store.document(.compact) == "{\"entities\":[]}\n")
    let full = try await store.document(.full)
    #expect(try JSONReader.read(full)["commits"] == [])
    #expect(try await makeStore(clock).load(full).importedCount == 0)
  }

  @Test func `a past state can be exported, but not as commits`() async throws {
    let store = try await makeStore(clock)
    try await store.create("t", id: "a", ["x": 1])
    let then = Date(timeIntervalSince1970: Double(clock.now) / 1_000)
    clock.advance(by: 1_000)
    try await store.set("a", "x", 2)
    var bytes: [UInt8] = []
    let report = try await store.asOf(then).read {
      try await $0.export(.normalized) { bytes += $0 }
    }
    #expect(report.recordCount == 1 && report.byteCount == bytes.count)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""x":{"integer":1,"#))
    let error = await failure {
      _ = try await store.asOf(then).read { try await $0.export(.full) { _ in } }
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `datestamps of all times survive a round trip`() async throws {
    let store = try await makeStore(clock)
    let range = HybridTime.millisecondsRange
    for (index, milliseconds) in [range.lowerBound, -62_135_596_800_001, -1, 999, range.upperBound]
      .enumerated()
    {
      let date = HybridTime(millisecondsSince1970: milliseconds).date
      try await store.write(at: date) { tx in
        try await tx.create("t", id: EntityID("e\(index)"), ["x": .int(milliseconds)])
      }
    }
    let copy = try await makeStore(clock)
    try await copy.load(try await store.document(.normalized))
    #expect(try await copy.records(.normalized) == store.records(.normalized))
    for entity in try await copy.fetch(Query("t")) {
      #expect(entity["x"] == .int(entity.datestamp.millisecondsSince1970))
    }
  }
}
