import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore

@Suite("Adopting comma-separated values")
struct CommaSeparatedTests {
  private func write(_ text: String, to scratch: Scratch) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path))
  }

  private func adopt(
    _ text: String,
    _ scratch: Scratch,
    key: String? = nil,
    kinds: [String: FieldKind] = [:],
    endsMissingRows: Bool = false
  ) async throws -> AdoptionReport {
    try write(text, to: scratch)
    var options = AdoptionOptions()
    options.endsMissingRows = endsMissingRows
    return try await scratch.store.adopt(
      csv: scratch.path,
      as: "Hat",
      key: key,
      kinds: kinds,
      options
    )
  }

  @Test
  func `quotes, line ends in fields, empty fields and a byte order mark are read as RFC 4180 says`()
    async throws
  {
    let scratch = try await Scratch()
    let text = "\u{FEFF}code,\"a \"\"b\"\"\",c\r\n1,\"x,\ny\"\"\",\r\n\r\n2,\"\",z"
    #expect(try await adopt(text, scratch, key: "code").createdCount == 2)
    let first = try await scratch.store.require("Hat/1")
    #expect(first["a \"b\""] == "x,\ny\"")
    #expect(first["c"] == nil)
    #expect(first["code"] == "1")
    #expect(try await scratch.store.require("Hat/2")["a \"b\""] == "")
  }

  @Test func `a column has the narrowest kind that all its fields fit`() async throws {
    let scratch = try await Scratch()
    let text = """
      i,d,b,t,zip,big,mixed,none
      9223372036854775807,1.5,true,2018-12-08,01234,9223372036854775808,1,
      -1,2,false,2018-12-08T14:30:00Z,99999,1,x,
      """
    _ = try await adopt(text, scratch)
    let hat = try await scratch.store.require("Hat#1")
    #expect(hat["i"] == .int(.max))
    #expect(hat["d"] == 1.5)
    #expect(hat["b"] == true)
    #expect(hat["t"] == .date(Date(timeIntervalSince1970: 1_544_227_200)))
    #expect(hat["zip"] == "01234")
    #expect(hat["big"] == "9223372036854775808")
    #expect(hat["mixed"] == "1")
    #expect(hat.keys.count == 7)
    #expect(try await scratch.store.require("Hat#2")["d"] == .double(2))
  }

  @Test
  func `a second adoption writes the differences only, and can end the entities of missing lines`()
    async throws
  {
    let scratch = try await Scratch()
    #expect(try await adopt("k,n\na,1\nb,2\n", scratch, key: "k").createdCount == 2)
    #expect(try await adopt("k,n\na,1\nb,2\n", scratch, key: "k").commit == nil)
    let report = try await adopt("n,k\n1,a\n3,c\n", scratch, key: "k", endsMissingRows: true)
    #expect(report.createdCount == 1)
    #expect(report.unchangedCount == 1)
    #expect(report.endedCount == 1)
    #expect(try await scratch.store.entity("Hat/b") == nil)
  }

  @Test func `a pipe, which can be read only once, is imported as a file is`() async throws {
    let scratch = try await Scratch()
    let lines = "k,n\n" + (1...20_000).map { "a\($0),\($0)\n" }.joined()
    let pipe = Pipe()
    let writer = Task.detached {
      try pipe.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
      try pipe.fileHandleForWriting.close()
    }
    let report = try await scratch.store.adopt(
      csv: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)",
      as: "Hat",
      key: "k"
    )
    try await writer.value
    #expect(report.createdCount == 20_000)
    #expect(try await scratch.store.require("Hat/a20000")["n"] == 20_000)
  }

  @Test func `a file without a line that names the columns is refused, and ends nothing`()
    async throws
  {
    let scratch = try await Scratch()
    _ = try await adopt("k,n\na,1\n", scratch, key: "k")
    for text in ["", "\n\n", "\u{FEFF}"] {
      await #expect(throws: VarveError.self) {
        try await adopt(text, scratch, endsMissingRows: true)
      }
    }
    #expect(try await scratch.store.entity("Hat/a") != nil)
  }

  @Test func `many lines, longer than the chunks in which they are read`() async throws {
    let scratch = try await Scratch()
    let field = String(repeating: "ä\"\"\r\n,", count: 2_000)
    let lines = (1...60).map { "\($0),\"\(field)\"\r\n" }.joined()
    #expect(try await adopt("k,v\r\n" + lines, scratch).createdCount == 60)
    let value = try await scratch.store.require("Hat#60")["v"]
    #expect(value == .string(String(repeating: "ä\"\r\n,", count: 2_000)))
  }

  @Test(arguments: [
    ("a,b\n1\n", "line 2, column 1"), ("a,b\n1,2,3\n", "line 2, column 1"),
    ("a,b\n1,x\"y\n", "line 2, column 4"), ("a,b\n1,\"x\n\n", "line 2, column 3"),
    ("a,b\n1,\"x\"y\n", "line 2, column 6"), ("a,a\n", "line 1, column 1"),
    ("a,b\r1,2\r", "line 1, column 4"), ("a,b\n1,x\ry\n", "line 2, column 4"),
    ("a,b\n1,2\r", "line 2, column 4"),
  ]
  )
  func `malformed lines are refused with line and column, and nothing is written`(
    text: String,
    place: String
  ) async throws {
    let scratch = try await Scratch()
    let error = await #expect(throws: VarveError.self) { try await adopt(text, scratch) }
    #expect(error?.place?.hasSuffix(place) == true, "\(String(describing: error))")
    #expect(try await scratch.store.types().isEmpty)
  }

  @Test func `repeated and missing keys, unknown columns and fields of another kind are refused`()
    async throws
  {
    let scratch = try await Scratch()
    for text in ["k,n\na,1\na,2\n", "k,n\n,1\n", "n\n1\n", "k,n\na,x\n"] {
      await #expect(throws: VarveError.self, "\(text)") {
        try await adopt(text, scratch, key: "k", kinds: ["n": .integer])
      }
    }
    #expect(try await adopt("k,n\n", scratch).createdCount == 0)
    #expect(try await scratch.store.types().isEmpty)
  }

  @Test func `a file whose lines end in carriage returns is refused, and ends nothing`()
    async throws
  {
    let scratch = try await Scratch()
    _ = try await adopt("k,n\r\na,1\r\nb,\"x\ry\"\r\n", scratch, key: "k")
    #expect(try await scratch.store.require("Hat/b")["n"] == "x\ry")
    for text in ["k,n\ra,1\rb,2\r", "k\ra\rb\r"] {
      let error = await #expect(throws: VarveError.self) {
        try await adopt(text, scratch, key: nil, endsMissingRows: true)
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("carriage return") == true)
    }
    #expect(try await scratch.store.count(Query("Hat")) == 2)
  }

  @Test func `the key has its given kind, and identifiers derive from its texts all the same`()
    async throws
  {
    let scratch = try await Scratch()
    #expect(try await adopt("k,n\n7,1\n8,2\n", scratch, key: "k").createdCount == 2)
    #expect(try await scratch.store.require("Hat/7")["k"] == "7")
    let kinds: [String: FieldKind] = ["k": .integer]
    let report = try await adopt("k,n\n7,1\n8,2\n", scratch, key: "k", kinds: kinds)
    #expect(report.changedCount == 2 && report.createdCount == 0)
    #expect(try await scratch.store.require("Hat/7")["k"] == 7)
    await #expect(throws: VarveError.self) {
      try await adopt("k,n\nx,1\n", scratch, key: "k", kinds: kinds)
    }
  }
}
