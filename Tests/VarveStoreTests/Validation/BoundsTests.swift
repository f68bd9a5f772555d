import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Bounds, lengths and patterns")
struct BoundsTests {
  let hat = Validation(model: "hat")

  private func told(_ validation: Validation) -> [String] {
    validation.errors.map { error in
      error.message
        + error.data.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }.joined()
    }
  }

  @Test func `bounds report the violated end`() {
    let sizes = [4, 5, 15, 16].map { told(hat.bounds(of: "size", $0, 5...15)) }
    #expect(sizes == [["tooLow min 5"], [], [], ["tooHigh max 15"]])
  }

  @Test func `an end that is excluded is too high`() {
    #expect(told(hat.bounds(of: "size", 15, 5..<15)) == ["tooHigh max 15"])
    #expect(told(hat.bounds(of: "size", 14, 5..<15)) == [])
    #expect(told(hat.bounds(of: "size", 1.5, ..<1.5)) == ["tooHigh max 1.5"])
    #expect(told(hat.bounds(of: "size", 5, 5..<5)) == ["tooHigh max 5"])
  }

  @Test func `ranges may have one end`() {
    #expect(told(hat.bounds(of: "size", 4, 5...)) == ["tooLow min 5"])
    #expect(told(hat.bounds(of: "size", Int.max, 5...)) == [])
    #expect(told(hat.bounds(of: "size", 16, ...15)) == ["tooHigh max 15"])
    #expect(told(hat.bounds(of: "size", 4, min: 5)) == ["tooLow min 5"])
    #expect(told(hat.bounds(of: "size", 16, max: 15)) == ["tooHigh max 15"])
    #expect(told(hat.bounds(of: "size", 16)) == [])
  }

  @Test
  func `all ordered types have bounds: integers of all sizes, doubles, dates, texts, values`() {
    let day = Date(timeIntervalSince1970: 86_400)
    #expect(told(hat.bounds(of: "k", UInt8(3), 4...200)) == ["tooLow min 4"])
    #expect(told(hat.bounds(of: "k", UInt64.max, 0...7)) == ["tooHigh max 7"])
    #expect(told(hat.bounds(of: "k", 0.5, 1...2)) == ["tooLow min 1.0"])
    #expect(told(hat.bounds(of: "k", "zoo", "a"..."m")) == ["tooHigh max m"])
    #expect(told(hat.bounds(of: "k", day + 1, ...day)) == ["tooHigh max 1970-01-02T00:00:00Z"])
    #expect(told(hat.bounds(of: "k", Value.int(4), min: 4.5, max: 15)) == ["tooLow min 4.5"])
    #expect(told(hat.bounds(of: "k", Value.date(day), min: .date(day), max: .date(day))) == [])
  }

  @Test func `nothing passes bounds, lengths and patterns`() throws {
    let checked = try hat.bounds(of: "k", Int?.none, 5...15).bounds(of: "k", Value?.none, min: 5)
      .length(of: "k", nil, 1...3).pattern(of: "k", nil, "a+").pattern(of: "k", nil, /a+/)
    #expect(checked.isValid)
  }

  @Test func `a value that cannot be compared is a mismatch, not within bounds`() {
    #expect(told(hat.bounds(of: "k", Double.nan, 5...15)) == ["mismatch"])
    #expect(told(hat.bounds(of: "k", Double.nan, ..<15)) == ["mismatch"])
    #expect(told(hat.bounds(of: "k", Value.double(.nan), max: 15)) == ["mismatch"])
    #expect(told(hat.bounds(of: "k", Value.string("6"), min: 5, max: 15)) == ["mismatch"])
  }

  @Test func `lengths count user-perceived characters`() {
    let family = "👩‍👩‍👧"
    #expect(told(hat.length(of: "k", family + "e\u{301}", 2...2)) == [])
    #expect(told(hat.length(of: "k", "ab", 3...)) == ["tooShort min 3"])
    #expect(told(hat.length(of: "k", "", 1...3)) == ["tooShort min 1"])
    #expect(told(hat.length(of: "k", "abcd", ...3)) == ["tooLong max 3"])
    #expect(told(hat.length(of: "k", "abcd", 1..<4)) == ["tooLong max 3"])
    #expect(told(hat.length(of: "k", "abc", ..<4)) == [])
  }

  @Test func `a pattern matches the entire text`() throws {
    #expect(try told(hat.pattern(of: "k", "AB-12", "[A-Z]{2}-[0-9]+")) == [])
    #expect(try told(hat.pattern(of: "k", "x AB-12", "[A-Z]{2}-[0-9]+")) == ["mismatch"])
    #expect(try told(hat.pattern(of: "k", "AB-12\n", "[A-Z]{2}-[0-9]+")) == ["mismatch"])
    #expect(told(hat.pattern(of: "k", "red", /red|blue/)) == [])
    #expect(told(hat.pattern(of: "k", "", /.+/)) == ["mismatch"])
  }

  @Test(arguments: [
    "(", "[", "*", "a{2,1}", "\\", #"\1"#, String(repeating: "(", count: 900),
    String(repeating: "[", count: 1_000), String(repeating: "[", count: 100_000),
  ]
  )
  func `an invalid pattern is an error, with or without a value`(pattern: String) {
    for value in ["a", nil] {
      let thrown = #expect(throws: VarveError.self) {
        try hat.pattern(of: "code", value, pattern)
      }
      #expect(thrown?.code == .invalidArgument)
      #expect(thrown?.place?.hasPrefix("hat, code, pattern") == true)
      #expect(thrown?.remedy != nil)
    }
  }
}
