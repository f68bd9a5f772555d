import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Loading a document")
struct LoadingTests {
  let clock = TestClock()

  @Test func `creates missing entities with the given datestamps`() async throws {
    let store = try await makeStore(clock)
    let report = try await store.load(
      """
      {"entities": [{"identifier": "a", "type": "t", "datestamp": {"date": "2001-02-03T04:05:06.789Z"},
        "x": {"integer": 1, "type": "size", "datestamp": "2002-01-01T00:00:00Z"}, "y": 2},
        {"identifier": "b", "type": "t", "datestamp": "1999-01-01T00:00:00Z"}]}
      """
    )
    #expect(report.importedCount == 2 && report.createdCount == 2 && report.skipped.isEmpty)
    let a = try await store.require("a")
    #expect(a.datestamp.millisecondsSince1970 == 981_173_106_789)
    #expect(a.property("x") == .init(1, semanticType: "size"))
    let times = try await store.history(of: "a").map { ($0.key, $0.time.date) }
    #expect(times.first { $0.0 == "x" }?.1 == (try .iso("2002-01-01T00:00:00Z")))
    #expect(times.first { $0.0 == "y" }?.1.timeIntervalSince1970 == Double(clock.now) / 1_000)
    #expect(try await store.require("b").datestamp.date == .iso("1999-01-01T00:00:00Z"))
  }

  @Test func `a document of another kind is refused, and an empty one is not`() async throws {
    let store = try await makeStore(clock)
    for text in [#"{"Entities":[{"identifier":"a","type":"t"}]}"#, #"{"mappings":{}}"#] {
      await #expect { try await store.load(text) } throws: { error in
        (error as? VarveError)?.code == .invalidInterchange
      }
    }
    for text in ["{}", #"{"version":1}"#, #"{"entities":[]}"#] {
      #expect(try await store.load(text).importedCount == 0)
    }
  }

  @Test func `a datestamp is read to the millisecond`() async throws {
    let store = try await makeStore(clock)
    let start: Int64 = 1_699_999_200_000
    let records = (0..<2_000).map { index in
      let time = HybridTime(millisecondsSince1970: start + Int64(index) * 1_001)
      return
        "{\"identifier\":\"e\(index)\",\"type\":\"t\",\"datestamp\":\"\(DateWriter.exact(time))\"}"
    }
    try await store.load("{\"entities\":[" + records.joined(separator: ",") + "]}")
    for (index, entity) in try await store.fetch(Query("t")).enumerated() {
      #expect(entity.datestamp.millisecondsSince1970 == start + Int64(index) * 1_001)
    }
  }

  @Test func `a second record of an identifier with undated values is skipped`() async throws {
    let store = try await makeStore(clock)
    let text = """
      {"entities":[{"identifier":"a","type":"T","x":1},{"identifier":"a","type":"T","x":2},
        {"identifier":"b","type":"T","x":{"integer":1,"datestamp":"2001-01-01T00:00:00Z"}},
        {"identifier":"b","type":"T","x":{"integer":2,"datestamp":"2002-01-01T00:00:00Z"}}]}
      """
    let first = try await store.load(text)
    #expect(first.importedCount == 3 && first.createdCount == 2 && first.changedCount == 1)
    #expect(first.skipped.map(\.pointer) == ["/entities/1"])
    #expect(first.skipped.map(\.reason) == ["an earlier record has the same identifier"])
    #expect(try await store.require("a")["x"] == 1)
    #expect(try await store.require("b")["x"] == 2)
    for _ in 0..<2 {
      clock.advance(by: 1_000)
      let again = try await store.load(text)
      #expect(again.commit == nil && again.changedCount == 0 && again.skippedCount == 1)
    }
  }

  @Test func `semantic types are compared by their bytes`() async throws {
    let store = try await makeStore(clock)
    for type in ["\u{E9}", "e\u{301}"] {
      let report = try await store.load(
        #"{"entities":[{"identifier":"a","type":"T","x":{"integer":1,"type":"\#(type)"}}]}"#
      )
      #expect(report.createdCount + report.changedCount == 1)
      let stored = try #require(try await store.require("a").property("x")).semanticType
      #expect(Array(stored.utf8) == Array(type.utf8))
    }
  }

  @Test func `again writes nothing`() async throws {
    let store = try await makeStore(clock)
    let text = """
      {"entities": [{"identifier": "a", "type": "t", "datestamp": "2001-01-01T00:00:00Z", "x": 1,
        "y": {"double": 2, "datestamp": "2003-01-01T00:00:00Z"}}]}
      """
    #expect(try await store.load(text).commit != nil)
    clock.advance(by: 5_000)
    let again = try await store.load(text)
    #expect(again.importedCount == 1 && again.changedCount == 0 && again.commit == nil)
  }

  @Test func `a value that history has at its time is not written again`() async throws {
    let store = try await makeStore(clock)
    try await store.create("t", id: "a", ["x": 1])
    let old = try await store.document(.normalized)
    clock.advance(by: 1_000)
    try await store.set("a", "x", 2)
    #expect(try await store.load(old).commit == nil)
    #expect(try await store.require("a")["x"] == 2)
  }

  @Test func `a dated value that another of the same time hides is written again, once`()
    async throws
  {
    let store = try await makeStore(clock)
    func load(_ color: String) async throws -> Bool {
      clock.advance(by: 1_000)
      let record = #"{"identifier":"a","type":"T","datestamp":"2001-01-01T00:00:00Z","#
      let value = #""color":{"string":"\#(color)","datestamp":"2012-01-01T00:00:00Z"}}"#
      return try await store.load(#"{"entities":[\#(record)\#(value)]}"#).commit != nil
    }
    for color in ["red", "blue", "red", "blue"] {
      #expect(try await load(color))
      #expect(try await !load(color))
      #expect(try await store.require("a")["color"] == .string(color))
    }
  }

  @Test func `a value without a datestamp is compared with the one at the date of the load`()
    async throws
  {
    let store = try await makeStore(clock)
    let (early, late) = (Date(timeIntervalSince1970: 1e9), Date(timeIntervalSince1970: 1.1e9))
    try await store.create("T", id: "a", ["x": 1], at: early)
    try await store.set("a", "x", 2, at: late)
    let middle = Date(timeIntervalSince1970: 1.05e9)
    let text = #"{"entities":[{"identifier":"a","type":"T","x":2}]}"#
    #expect(try await store.load(DocumentSource(text: text), at: middle).changedCount == 1)
    #expect(try await store.asOf(middle).require("a")["x"] == 2)
    #expect(try await store.load(DocumentSource(text: text), at: middle).commit == nil)
  }

  @Test func `adds to existing entities, whose type and datestamp stay`() async throws {
    let store = try await makeStore(clock)
    try await store.create("t", id: "a", ["x": 1, "y": 1])
    let before = try await store.require("a")
    clock.advance(by: 1_000)
    let report = try await store.load(
      """
      {"entities": [{"identifier": "a", "type": "other", "datestamp": "1990-01-01T00:00:00Z",
        "x": 2, "y": {"integer": 7, "datestamp": "1990-01-01T00:00:00Z"}}]}
      """
    )
    #expect(report.createdCount == 0 && report.changedCount == 1)
    #expect(report.skipped.map(\.pointer) == ["/entities/0/type"])
    #expect(
      report.skipped.first?.reason == "the entity is a t and stays one; its values were loaded"
    )
    let after = try await store.require("a")
    #expect(after.type == "t" && after.datestamp == before.datestamp)
    #expect(after["x"] == 2 && after["y"] == 1)
    #expect(try await store.history(of: "a", "y").map(\.value) == [1, 7])
    // Another life may have another type.
    try await store.erase("a")
    let reborn = try await store.load(#"{"entities":[{"identifier":"a","type":"other"}]}"#)
    #expect(reborn.createdCount == 1 && reborn.skipped.isEmpty)
  }

  @Test func `references may name later entities, or unknown ones`() async throws {
    let store = try await makeStore(clock)
    try await store.load(
      """
      {"entities": [{"identifier": "a", "type": "t", "to": {"entity": "b"}, "no": {"entity": "z"}},
        {"identifier": "b", "type": "t"}]}
      """
    )
    let a = try await store.require("a")
    #expect(a["to"] == .reference("b") && a["no"] == .reference("z"))
  }

  @Test func `an erased entity is created again without its former properties`() async throws {
    let store = try await makeStore(clock)
    let text = """
      {"entities": [{"identifier": "a", "type": "t", "datestamp": "2001-01-01T00:00:00Z",
        "x": {"integer": 1, "datestamp": "2002-01-01T00:00:00Z"}}]}
      """
    try await store.load(text)
    try await store.set("a", "y", 2)
    try await store.erase("a")
    #expect(try await store.load(text).createdCount == 1)
    let entity = try await store.require("a")
    #expect(entity["x"] == 1 && entity["y"] == nil)
    #expect(try entity.datestamp.date == .iso("2001-01-01T00:00:00Z"))
    #expect(try await store.load(text).commit == nil)
  }

  @Test func `every kind of value is read, raw and tagged`() async throws {
    let store = try await makeStore(clock)
    let report = try await store.load(
      #"""
      {"entities": [{"identifier": "a", "type": "t", "b": true, "i": 5, "f": 5.0, "s": "2001-01-01",
        "tb": {"boolean": false}, "ti": {"integer": 7}, "tf": {"double": 7}, "ts": {"string": ""},
        "n": {"double": "NaN"}, "d": {"date": "2019-09-19T16:14:58.25Z"}, "k": {"data": "AAE="},
        "r": {"entity": "a", "type": "owner"}, "l": {"array": [1, {"date": "2001-01-01"}, "x"]},
        "m": {"dictionary": {"type": 1, "": {"array": []}}}}]}
      """#
    )
    #expect(report.skipped.isEmpty)
    let entity = try await store.require("a")
    let reference = Date(timeIntervalSinceReferenceDate: 0)
    let wanted: [PropertyKey: Value] = [
      "b": true, "i": 5, "f": 5.0, "s": "2001-01-01", "tb": false, "ti": 7, "tf": 7.0, "ts": "",
      "n": .double(.nan), "d": .date(try .iso("2019-09-19T16:14:58Z") + 0.25),
      "k": .data(Data([0, 1])), "r": .reference("a"), "l": [1, .date(reference), "x"],
      "m": ["type": 1, "": []],
    ]
    #expect(entity.properties.mapValues(\.value) == wanted)
    #expect(entity.property("r")?.semanticType == "owner")
  }

  @Test func `keys may be named like the members of a record`() async throws {
    let store = try await makeStore(clock)
    let odd: [PropertyKey: Value] = ["type": 1, "identifier": 2, "\\type": 3, "\\\\datestamp": 4]
    try await store.create("t", id: "a", odd.merging(["\\other": 5, "@type": 6]) { $1 })
    for form in [InterchangeForm.compact, .normalized] {
      let copy = try await makeStore(clock)
      try await copy.load(try await store.document(form))
      let properties = try await copy.require("a").properties
      #expect(properties == (try await store.require("a").properties))
    }
  }

  @Test func `unusable values are skipped, with their places; the rest is loaded`() async throws {
    let store = try await makeStore(clock)
    let report = try await store.load(
      """
      {"entities": [
        {"identifier": "a", "type": "t", "ok": 1, "null": null, "bare": [1], "foo": {"foo": 1},
          "is/two~": {"integer": 1, "string": "x"}, "when": {"integer": 1, "datestamp": "soon"},
          "deep": {"array": [null]}, "whole": {"integer": 1.5}},
        17,
        {"type": "t"}, {"identifier": "b"}, {"identifier": "", "type": "t"},
        {"identifier": "c", "type": "t", "datestamp": "yesterday"},
        {"identifier": "d", "type": "t", "datestamp": "2001-01-01",},
      ],}
      """
    )
    #expect(report.importedCount == 2)
    #expect(
      report.skipped.map(\.pointer) == [
        "/entities/0/null", "/entities/0/bare", "/entities/0/foo", "/entities/0/is~1two~0",
        "/entities/0/when", "/entities/0/deep", "/entities/0/whole", "/entities/1", "/entities/2",
        "/entities/3", "/entities/4", "/entities/5",
      ]
    )
    #expect(report.skipped[0].position.line == 2 && report.skipped[0].position.column == 53)
    #expect(report.skipped[7].position.line == 5 && report.skipped[7].position.column == 3)
    #expect(try await store.require("a").properties.keys.map(\.text) == ["ok"])
    #expect(try await store.entity("d") != nil)
  }

  @Test func `a null leaves the value`() async throws {
    let store = try await makeStore(clock)
    try await store.create("t", id: "a", ["x": 1])
    let report = try await store.load(#"{"entities":[{"identifier":"a","type":"t","x":null}]}"#)
    #expect(report.skippedCount == 1 && report.commit == nil)
    #expect(try await store.require("a")["x"] == 1)
  }

  @Test func `values hold from the time given, if not from one of their own`() async throws {
    let store = try await makeStore(clock)
    let date = try Date.iso("2010-01-01T00:00:00Z")
    let source = DocumentSource(text: #"{"entities":[{"identifier":"a","type":"t","x":1}]}"#)
    let report = try await store.load(source, author: "sam", message: "old", at: date)
    #expect(report.commit?.author == "sam" && report.commit?.message == "old")
    #expect(try await store.require("a").datestamp.date == date)
    #expect(try await store.asOf(date).require("a")["x"] == 1)
  }

  @Test func `how the bytes arrive makes no difference`() async throws {
    let text = """
      \u{FEFF}{"more": [{"x": "\\"]"}], "entities": [{"identifier": "é\\n🧢", "type": "t", "x": -1.5e3, "y":
      {"string": "\\\\"}}, {"identifier": "b", "type": "t"},], "end": null}
      """
    let whole = try await makeStore(clock)
    try await whole.load(text)
    for size in [1, 2, 3, 7] {
      var rest = Array(text.utf8)[...]
      let store = try await makeStore(clock)
      let report = try await store.load(
        DocumentSource {
          defer { rest = rest.dropFirst(size) }
          return Array(rest.prefix(size))
        }
      )
      #expect(report.importedCount == 2)
      #expect(try await store.document(.normalized) == whole.document(.normalized))
    }
  }
}
