import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Files of messages")
struct MessageFileTests {
  let tooLow = ValidationError(model: "hat", key: "size", message: "tooLow")

  @Test(arguments: [
    #"{"en": {"hat": {"errors": {"size": {"too_low": "found"}}}}}"#,
    #"{"en": {"hat.errors.size.too_low": "found"}}"#,
    #"{"en": {"hat.errors": {"size.too_low": "found"}}, "es": {}}"#,
    #"{"en": {"hat": {"errors": {"too_low": "found"}, "empty": {}}}}"#,
  ]
  )
  func `objects nest as you like`(json: String) throws {
    #expect(try Messages(json: Data(json.utf8)).text(for: tooLow) == "found")
  }

  @Test func `a document without locales needs a locale`() throws {
    let json = Data(#"{"hat": {"errors": {"too_low": "muy bajo"}}}"#.utf8)
    let messages = try Messages(json: json, locale: "es")
    #expect(messages.text(for: tooLow, locale: "es-MX") == "muy bajo")
    #expect(messages.text(for: tooLow) == "tooLow")
  }

  @Test func `a value of dictionaries is read like JSON`() throws {
    let tree: Value = ["en": ["hat": ["errors": ["too_low": "found"]]]]
    #expect(try Messages(tree: tree).text(for: tooLow) == "found")
    #expect(try Messages(tree: [:]).text(for: tooLow) == "tooLow")
  }

  @Test(arguments: [
    (#"{"en": {"hat": {"errors": 5}}}"#, "en.hat.errors"),
    (#"{"en": {"hat": {"errors": null}}}"#, "en.hat.errors"),
    (#"{"en": {"hat.errors": ["x"]}}"#, "en.hat.errors"),
    (#"{"en": "text"}"#, "en"), (#"{"en": true}"#, "en"), ("[]", nil), ("\"x\"", nil),
    (#"{"en": {"a.b": "1", "a": {"b": "2"}}}"#, "en.a.b"),
  ]
  )
  func `a value that is not a text is reported with its place`(json: String, place: String?) {
    let thrown = #expect(throws: VarveError.self) { try Messages(json: Data(json.utf8)) }
    #expect(thrown?.code == .invalidArgument)
    #expect(thrown?.place == place)
    #expect(thrown?.remedy != nil)
  }

  @Test(arguments: [
    "", "{", "en: {}", #"{"en": {"a": "b}"#, "\u{0}", String(repeating: "[", count: 100_000),
    String(repeating: #"{"a":"#, count: 100_000),
  ]
  )
  func `invalid JSON is an error`(json: String) {
    let thrown = #expect(throws: VarveError.self) { try Messages(json: Data(json.utf8)) }
    #expect(thrown?.code == .invalidJSON)
    #expect(thrown?.remedy != nil)
  }

  @Test func `names nest as deep as JSON does, or are refused`() {
    let deep =
      String(repeating: #"{"a":"#, count: 400) + "\"x\"" + String(repeating: "}", count: 400)
    let thrown = #expect(throws: VarveError.self) { try Messages(json: Data(deep.utf8)) }
    #expect(thrown?.code == .invalidArgument)
    var tree: Value = "x"
    for _ in 0..<400 { tree = ["a": tree] }
    #expect(throws: VarveError.self) { try Messages(tree: tree) }
  }

  @Test func `errors in files include the path`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "es.json")
    try Data(#"{"hat.errors.too_low": "bajo", "odd": 1}"#.utf8).write(to: file)
    let odd = #expect(throws: VarveError.self) { try Messages(contentsOf: file, locale: "es") }
    #expect(odd?.place == "\(file.path), odd")
    try Data(#"{"hat.errors.too_low": "bajo"}"#.utf8).write(to: file)
    let messages = try Messages(contentsOf: file, locale: "es")
    #expect(messages.text(for: tooLow, locale: "es") == "bajo")
    let missing = #expect(throws: VarveError.self) {
      try Messages(contentsOf: folder.appending(path: "none.json"))
    }
    #expect(missing?.code == .notFound)
    let unreadable = #expect(throws: VarveError.self) { try Messages(contentsOf: folder) }
    #expect(unreadable?.code == .inputOutput)
  }
}
