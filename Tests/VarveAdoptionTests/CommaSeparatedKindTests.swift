import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Kinds of comma-separated columns")
struct CommaSeparatedKindTests {
  private func adopt(
    _ text: String,
    _ scratch: Scratch,
    _ edit: (inout CommaSeparatedReading) -> Void = { _ in }
  ) async throws -> AdoptionReport {
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
    var reading = CommaSeparatedReading()
    edit(&reading)
    return try await scratch.store.adopt(csv: scratch.path, as: "Hat", reading: reading)
  }

  /// The kind and the value of a column of one field.
  private func read(_ field: String) async throws -> (FieldKind, Value?) {
    let scratch = try await Scratch()
    let report = try await adopt("v\n\(field)\n", scratch)
    return (report.columns[0].kind, try await scratch.store.require("Hat#1")["v"])
  }

  @Test(
    arguments: [
      ("0.1", 0.1), ("1.10", 1.1), ("12.00", 12), ("-0.0", -0.0),
      ("0.30000000000000004", 0.1 + 0.2),
      ("1e-05", 1e-5), ("1.5E300", 1.5e300), ("5e-324", .leastNonzeroMagnitude),
      ("1.7976931348623157e+308", .greatestFiniteMagnitude),
      ("9007199254740993.0", nil), ("9007199254740992.0", 9_007_199_254_740_992),
    ] as [(String, Double?)]
  )
  func `a number is a double if the double's shortest text is the same number, whatever its zeros`(
    text: String,
    double: Double?
  ) async throws {
    let (kind, value) = try await read(text)
    #expect(kind == (double == nil ? .decimal : .double))
    #expect(value == double.map { .double($0) } ?? .string(text))
  }

  @Test(
    arguments: [
      ("0.1234567890123456789", .decimal), ("12345678901234567890.12", .decimal),
      ("9223372036854775808", .decimal), ("-9223372036854775809", .decimal), ("1e-400", .text),
      ("1e+400", .text), ("314e59", .text), ("1e5", .text), ("2E10", .text), ("007", .text),
      ("+49", .text), ("1.", .text), (".5", .text), ("-0", .text), ("--1", .text), ("1-2", .text),
      ("1e+", .text), ("0x10", .text), ("NaN", .text), ("inf", .text), ("1_000", .text),
      ("0.12345678901234567890123456789012345678901", .text), ("1.5e99999999999", .text),
    ] as [(String, FieldKind)]
  )
  func `what no double equals is a decimal or a text, and keeps what was written`(
    text: String,
    kind: FieldKind
  ) async throws {
    let (found, value) = try await read(text)
    #expect(found == kind)
    #expect(value == .string(text))
  }

  @Test
  func `the kind of a column keeps all its fields, and the report says why it is no narrower one`()
    async throws
  {
    let scratch = try await Scratch()
    let text = """
      i,d,wide,dec,b,t,na,none
      1,1,9007199254740993,1,true,2018-12-08,1,
      2,2.5,1.5,2.5,false,2018-12-08T14:30:00Z,n/a,
      3,3,2,0.1234567890123456789,true,2019-01-01,2.5,
      """
    let report = try await adopt(text, scratch)
    #expect(
      report.columns.map(\.kind)
        == [.integer, .double, .decimal, .decimal, .boolean, .date, .text, .text]
    )
    #expect(report.columns[0].exception == nil && report.columns[7].exception == nil)
    let wide = try #require(report.columns[2].exception)
    #expect(wide.text == "9007199254740993" && wide.line == 2 && wide.kind == .double)
    let missing = try #require(report.columns[6].exception)
    #expect(missing.text == "n/a" && missing.line == 3 && missing.kind == .double)
    #expect(missing.fittingCount == 2 && missing.fieldCount == 3)
    #expect(try await scratch.store.require("Hat#1")["dec"] == "1")
  }

  @Test(
    arguments: [
      ("9007199254740992", .double), ("9007199254740993", .decimal), ("-5", .double),
      ("1152921504606846976", .decimal), ("1152921504606847000", .double),
      ("9223372036854775808", .decimal), ("100000000000000000000", .double),
    ] as [(String, FieldKind)]
  )
  func `integers beside fractions are doubles only by the rule of all numbers`(
    text: String,
    kind: FieldKind
  ) async throws {
    let scratch = try await Scratch()
    let report = try await adopt("v\n1.5\n\(text)\n", scratch)
    #expect(report.columns[0].kind == kind)
    let value = try await scratch.store.require("Hat#2")["v"]
    #expect(value == (kind == .double ? Double(text).map { .double($0) } : .string(text)))
  }

  @Test func `a text that stands for a missing value has none, quoted or not, and is no key`()
    async throws
  {
    let scratch = try await Scratch()
    let text = "k,n\na,1\nb,n/a\nc,\"-\"\nd,\n"
    let report = try await adopt(text, scratch) {
      ($0.key, $0.missing) = ("k", ["n/a", "-"])
    }
    #expect(report.columns.map(\.kind) == [.text, .integer])
    #expect(try await scratch.store.require("Hat/a")["n"] == 1)
    for id: EntityID in ["Hat/b", "Hat/c", "Hat/d"] {
      #expect(try await scratch.store.require(id)["n"] == nil)
    }
    await #expect(throws: VarveError.self) {
      try await adopt("k,n\nn/a,1\n", scratch) { ($0.key, $0.missing) = ("k", ["n/a"]) }
    }
  }

  @Test func `a text that stands for a missing value does so by its bytes`() async throws {
    let scratch = try await Scratch()
    _ = try await adopt("k,v\n1,\u{e9}\n2,e\u{301}\n", scratch) {
      ($0.key, $0.missing) = ("k", ["\u{e9}"])
    }
    #expect(try await scratch.store.require("Hat/1")["v"] == nil)
    #expect(try await scratch.store.require("Hat/2")["v"] == "e\u{301}")
  }

  @Test func `a given kind of doubles takes the nearest, and none beyond them or below`()
    async throws
  {
    let scratch = try await Scratch()
    _ = try await adopt("v\n0.1234567890123456789\n", scratch) { $0.kinds = ["v": .double] }
    #expect(try await scratch.store.require("Hat#1")["v"] == 0.12345678901234568)
    for text in ["1e+400", "1e-400", "314e59", "x"] {
      await #expect(throws: VarveError.self) {
        try await adopt("v\n\(text)\n", scratch) { $0.kinds = ["v": .double] }
      }
    }
    _ = try await adopt("v\n0.10\n", scratch) { $0.kinds = ["v": .decimal] }
    #expect(try await scratch.store.require("Hat#1")["v"] == "0.10")
  }

  @Test(
    arguments: [
      ("a;b\n1;2\n", ";", "'"), ("a\tb\n1\t2\n", "\t", "tab"), ("a|b\n1|2\n", "|", "'|'"),
      ("\"a\";\"b\"\n1;2\n", ";", "';'"), ("a, EUR;b\n1,5;2\n", ";", "';'"),
      ("a;b;c, d\n1;2;3\n", ";", "';'"),
    ] as [(String, Unicode.Scalar, String)]
  )
  func `a file with another separator is refused with its name until it is given`(
    text: String,
    separator: Unicode.Scalar,
    name: String
  ) async throws {
    let scratch = try await Scratch()
    let error = await #expect(throws: VarveError.self) { try await adopt(text, scratch) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.remedy?.contains(name) == true, "\(error?.remedy ?? "")")
    #expect(error?.place?.contains("line 1, column") == true)
    #expect(try await scratch.store.types().isEmpty)
    let report = try await adopt(text, scratch) { $0.separator = separator }
    #expect(report.createdCount == 1 && report.columns.count >= 2)
  }

  @Test func `a heading that has fewer of them is a heading, and a comma can be insisted on`()
    async throws
  {
    let scratch = try await Scratch()
    #expect(try await adopt("a,b,\"c;d\",e;f\n1,2,3,4\n", scratch).columns.count == 4)
    let report = try await adopt("a;b\n1;2\n", scratch) { $0.separator = "," }
    #expect(report.columns.map(\.heading) == ["a;b"])
    for separator: Unicode.Scalar in ["\"", "\n", "é"] {
      await #expect(throws: VarveError.self) {
        try await adopt("a\n1\n", scratch) { $0.separator = separator }
      }
    }
  }

  @Test func `errors name the headings, the keys and the lines that repeat, and the field`()
    async throws
  {
    let scratch = try await Scratch()
    let cases: [(String, String)] = [
      ("a,b,a\n", "columns 1 and 3 have the same heading, \"a\""),
      ("k,n\nx,1\ny,2\nx,3\n", "line 2 has this key too: \"k\" is \"x\""),
      ("k,n\n,1\n", "the line has no key: \"k\" has no value"),
      ("k,n\nx,a\n", "field 2, \"n\", is not of the kind integer: \"a\""),
    ]
    for (text, message) in cases {
      let error = await #expect(throws: VarveError.self) {
        try await adopt(text, scratch) {
          if text.hasPrefix("k") { ($0.key, $0.kinds) = ("k", ["n": .integer]) }
        }
      }
      #expect(error?.message == message)
    }
    let error = await #expect(throws: VarveError.self) {
      try await adopt("a,b\n1,2\n", scratch) { $0.properties = ["a": "b"] }
    }
    #expect(error?.message == "columns 1 and 2 have the same property, \"b\"")
    let unknown = await #expect(throws: VarveError.self) {
      try await adopt("a,b\n1,2\n", scratch) { $0.key = "c" }
    }
    #expect(unknown?.remedy == "Name one of: a, b.")
  }

  @Test func `a plan has the columns that an adoption has, and writes nothing`() async throws {
    let scratch = try await Scratch()
    let text = "k,n\na,1\nb,x\nc,3\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
    var reading = CommaSeparatedReading()
    (reading.key, reading.properties) = ("k", ["n": "size"])
    let plan = try CommaSeparatedPlan(csv: scratch.path, as: "Hat", reading: reading)
    #expect(plan.lineCount == 3)
    #expect(plan.columns.map(\.property) == ["k", "size"])
    #expect(plan.columns[1].exception?.text == "x")
    let report = try await scratch.store.adopt(csv: scratch.path, as: "Hat", reading: reading)
    #expect(report.columns == plan.columns)
    #expect(try await scratch.store.require("Hat/a")["size"] == "1")
  }
}
