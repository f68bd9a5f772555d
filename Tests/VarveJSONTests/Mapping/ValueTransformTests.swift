import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Transforms")
struct TransformTests {
  @Test func `the built-in transforms convert in both directions`() throws {
    let date = try Value.date(.iso("1976-02-28T05:17:14Z"))
    let pairs: [(String, Value, Value, Value)] = [
      ("identity", "a", "a", "a"), ("uppercase", "aé", "AÉ", "aé"), ("lowercase", "AB", "ab", "AB"),
      ("integer", "12", 12, "12"), ("double", "1.5", 1.5, "1.5"), ("boolean", "true", true, "true"),
      ("string", 12, "12", 12), ("trim", " a ", "a", "a"),
      ("date", "1976-02-28T05:17:14Z", date, "1976-02-28T05:17:14Z"),
      (
        "date:dd/MM/yy".replacing("yy", with: "yyyy") + " HH:mm:ss", "28/02/1976 05:17:14", date,
        "28/02/1976 05:17:14"
      ),
      ("epoch:seconds", 194_332_634, date, 194_332_634),
      ("epoch:milliseconds", 194_332_634_000, date, 194_332_634_000),
      ("before:-", "AZ-NX", "AZ", "AZ"), ("after:-", "AZ-NX", "NX", "NX"),
    ]
    for (name, given, stored, out) in pairs {
      let transform = try #require(ValueTransform(named: name), "\(name)")
      #expect(transform(given) == stored, "\(name)")
      #expect(transform.reversed(stored) == out, "\(name)")
      #expect(transform.name == name)
    }
  }

  @Test func `values that cannot be transformed have no result`() throws {
    let misfits: [(String, Value)] = [
      ("integer", "12.5"), ("integer", "99999999999999999999"), ("double", "NaN"),
      ("boolean", "yes"), ("uppercase", 3), ("date:yyyy-MM-dd", "2001-02-29"),
      ("date:yyyy-MM-dd", "2001-2-9"), ("date:yyyy-MM-dd", "2001-02-19 "),
      ("date:yyyy-MM-dd", 2_001), ("date:yyyy", "01"), ("epoch:seconds", "1"),
    ]
    for (name, given) in misfits {
      let transform = try #require(ValueTransform(named: name))
      #expect(transform(given) == nil, "\(name) \(given)")
    }
  }

  @Test func `patterns of dates`() throws {
    let date = try Date.iso("2024-03-05T07:08:09.250Z")
    let texts: [(String, String)] = [
      ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-03-05T07:08:09.250Z"),
      ("d.M.yyyy H:mm:ss.SS", "5.3.2024 7:08:09.25"),
      ("yyyyMMddHHmmssSSS", "20240305070809250"),
      ("''yyyy'year' MM dd HHmmss,SSS", "'2024year 03 05 070809,250"),
    ]
    for (pattern, text) in texts {
      let pattern = try #require(DatePattern(pattern), "\(pattern)")
      #expect(pattern.read(text) == date, "\(pattern.text)")
      #expect(pattern.write(date) == text, "\(pattern.text)")
    }
    let zone = try #require(DatePattern("yyyy-MM-dd HH:mmX"))
    #expect(zone.read("2024-03-05 01:00+02:30") == (try .iso("2024-03-04T22:30:00Z")))
    for bad in ["", "MM", "yy", "yyyy-QQ", "yyyy 'open", "yyyy EEE"] {
      #expect(DatePattern(bad) == nil, "\(bad)")
    }
  }

  @Test func `an attribute's own transform precedes the default of its type`() async throws {
    let store = try await makeStore()
    let note = Mapping("Note", identifiedBy: "id", types: ["text": .string, "name": .string]) {
      Attribute("id")
      Attribute("text", .identity)
      Attribute("name", .lowercase)
    }
    var mappings = Mappings([note])
    mappings.defaults[.string] = .uppercase
    try await store.import(#"{"id": 1, "text": "Abc", "name": "Abc"}"#, as: "Note", by: mappings)
    let entity = try await store.require("Note#1")
    #expect(entity["text"] == "ABC" && entity["name"] == "abc")
  }

  @Test func `a function of one's own turns values and back`() async throws {
    let store = try await makeStore()
    let grams = ValueTransform(
      "grams",
      { $0.doubleValue.map { .int(Int64($0 * 1_000)) } },
      reverse: { $0.intValue.map { .double(Double($0) / 1_000) } }
    )
    let hat = Mapping("Hat", identifiedBy: "id") {
      Attribute("id")
      Attribute("kilos", to: "grams", grams)
    }
    let report = try await store.import(
      #"[{"id": 1, "kilos": 0.25}, {"id": 2, "kilos": "light"}, {"id": 3, "kilos": null}]"#,
      as: "Hat",
      by: Mappings([hat])
    )
    #expect(report.diagnostics.map(\.pointer) == ["/1/kilos"])
    #expect(try await store.require("Hat#1")["grams"] == 250)
    let objects = try await store.objects(of: report.ids, as: "Hat", by: Mappings([hat]))
    #expect(objects.map { $0["kilos"] } == [.fraction(0.25), .null, .null])
  }
}
