#if YAML
import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveYAML

@Suite("YAML documents")
struct YAMLDocumentTests {
  private func json(_ text: String) throws -> JSON { try YAMLDocument(text).json }

  private func refusal(_ text: String) -> VarveError? {
    do {
      _ = try YAMLDocument(text)
      return nil
    } catch {
      return error as? VarveError
    }
  }

  @Test func `lists and objects equal their JSON, with members in order`() throws {
    let text = """
      # books
      mappings:
        Book:
          id: isbn
          attributes: {isbn: isbn, "details.title": title}
          relationships:
            - fromIds: authors
              many: set
            - {from: 'it''s', to: "a\\tb"}
      list: [1, -2.5, [], {}]
      text: |
        one
        two
      """
    let wanted = """
      {"mappings":{"Book":{"id":"isbn","attributes":{"isbn":"isbn","details.title":"title"},\
      "relationships":[{"fromIds":"authors","many":"set"},{"from":"it's","to":"a\\tb"}]}},\
      "list":[1,-2.5,[],{}],"text":"one\\ntwo"}
      """
    #expect(try json(text).text == wanted)
  }

  @Test func `names that Unicode calls equivalent are refused, and the remedy is JSON`() throws {
    let equivalent = try #require(self.refusal("{\u{e9}: 1, e\u{301}: 2}"))
    #expect(equivalent.message.contains("equivalent") && equivalent.message.contains("JSON"))
    #expect(equivalent.code == .invalidYAML)
    #expect(self.refusal("{a: 1, a: 2}")?.message.contains("equivalent") == false)
  }

  @Test func `JSON is YAML`() throws {
    let text = #"{"a": [1, 2.5, true, null, "x\u00e9\n"], "b": {"c": -7}}"#
    #expect(try json(text) == JSONReader.read(text))
  }

  @Test(arguments: [
    ("true", JSON.bool(true)), ("False", false), ("~", .null), ("", .null), ("null", .null),
    ("yes", "yes"), ("no", "no"), ("on", "on"), ("NO", "NO"), ("2020-01-01", "2020-01-01"),
    ("12", 12), ("-0", 0), ("+7", 7), ("007", 7), ("0o17", 15), ("0xFF", 255), ("1_000", "1_000"),
    ("1.5", .fraction(1.5)), ("1.", .fraction(1)), (".5", .fraction(0.5)), ("-.5e1", .fraction(-5)),
    ("1.e2", .fraction(100)), ("1e3", .fraction(1_000)), ("1.2.3", "1.2.3"), ("0x", "0x"),
    ("'12'", "12"), ("\"true\"", "true"), ("!!str 12", "12"), ("!!int 12", 12), ("! 12", "12"),
    ("9223372036854775807", .integer(.max)), ("<<", "<<"), ("=", "="),
  ])
  func `plain scalars are read by the core schema`(text: String, wanted: JSON) throws {
    #expect(try json("x: \(text)")["x"] == wanted)
  }

  @Test func `names are texts, whatever they look like`() throws {
    #expect(
      try json("1: a\ntrue: b\n~: c\n2020-01-01: d\nno: e").text
        == #"{"1":"a","true":"b","~":"c","2020-01-01":"d","no":"e"}"#
    )
  }

  @Test func `aliases are replaced by their values, also as keys`() throws {
    let text = """
      a: &one {x: 1}
      b: *one
      c: [*one, "*one", '* one', a *one]
      d: &n name
      *n : "\u{E000}"
      """
    #expect(
      try json(text).text
        == #"{"a":{"x":1},"b":{"x":1},"c":[{"x":1},"*one","* one","a *one"],"#
        + "\"d\":\"name\",\"name\":\"\u{E000}\"}"
    )
  }

  @Test func `a few lines of aliases of aliases do not take all memory`() throws {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(refusal(text)?.message.contains("values") == true)
    #expect(refusal(text + "? [*a9, *a9]\n: x\n")?.code == .invalidYAML)
    #expect(refusal(text + "*a9 : x\n")?.code == .invalidYAML)
  }

  @Test(arguments: [
    ("a: [1, 2", "line 2, column 1"), ("a: 1\n b: 2", "line 2, column"),
    ("a: 1\na: 2", "line 1, column 1"),
    ("a: 1\n\"a\": 2", "line 1, column 1"), ("a: *b", "line 1, column 4"),
    ("a: &a [*a]", "line 1, column 8"),
    ("a: !!binary aGk=", "line 1, column 4"), ("a: !point [1]", "line 1, column 4"),
    ("a: .nan", "line 1, column 4"), ("a: -.inf", "line 1, column 4"),
    ("a: 1e999", "line 1, column 4"),
    ("a: 9223372036854775808", "line 1, column 4"), ("a: !!int x", "line 1, column 4"),
    ("? [1]\n: 2", "line 1, column 3"), ("a: 1\n--- \nb: 2", "line 2, column 1"),
    ("", "line 1, column 1"),
    ("a: \"\\q\"", "line 1, column"), ("\ta: 1", "line 1, column"), ("a: b: c", "line 1, column 5"),
    ("%YAML 3.0\n--- a", "line 1, column"),
  ])
  func `invalid YAML, and YAML that JSON cannot represent, is reported with its place`(
    text: String,
    place: String
  ) throws {
    let error = try #require(refusal(text), "\(text)")
    #expect(error.code == .invalidYAML, "\(text)")
    #expect(error.place?.hasPrefix(place) == true, "\(text): \(error)")
  }

  @Test func `10,000 brackets are refused`() {
    for depth in [300, 900, 10_000] {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(refusal(text)?.code == .invalidYAML, "\(depth)")
      #expect(refusal(String(repeating: "- ", count: depth) + "x")?.code == .invalidYAML)
    }
  }

  @Test func `the example in YAML equals the one in JSON`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/Countries")
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    #expect(try json(text("mapping.yaml")) == JSONReader.read(text("mapping.json")))
  }

  @Test func `the parts of a document have places`() throws {
    let document = try YAMLDocument("a:\n  - x: 1\n    y/z: 2\n  - 3\nb: {c: 4}")
    #expect(document.place(of: "/a/0/y~1z") == "line 3, column 5")
    #expect(document.place(of: "/a/1") == "line 4, column 5")
    #expect(document.place(of: "/b/c/none") == "line 5, column 5")
    #expect(document.place(of: "/") == "line 1, column 1")
  }
}
#endif
