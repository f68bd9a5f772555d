import Testing
import VarveJSON

@Suite struct ReaderTests {
  @Test func `integers, fractions and booleans are distinguished`() throws {
    let document = try JSONReader.read(#"{"a":1,"b":1.0,"c":true,"d":[1e2,-0.5]}"#)
    #expect(document["a"] == .integer(1))
    #expect(document["b"] == .fraction(1))
    #expect(document["c"] == .bool(true))
    #expect(document["d"] == .array([.fraction(100), .fraction(-0.5)]))
  }

  @Test(arguments: [
    ("{\"a\":1,}", 1, 8), ("[1\n,\n 01]", 3, 2), ("{\"a\":1,\"a\":2}", 1, 8), ("\"é\\x\"", 1, 4),
    ("[1] 2", 1, 5), ("", 1, 1), ("9223372036854775808", 1, 1), ("\"\\uD800\"", 1, 8),
  ])
  func `a malformed text is an error with line and column`(text: String, line: Int, column: Int) {
    #expect {
      _ = try JSONReader.read(text)
    } throws: { error in
      let position = (error as? JSONReader.Failure)?.position
      return position?.line == line && position?.column == column
    }
  }

  @Test func `a byte that is not UTF-8 is reported`() {
    #expect {
      _ = try JSONReader.read(bytes: Array("\"ab".utf8) + [0xFF, 0x22])
    } throws: { ($0 as? JSONReader.Failure)?.position.byteOffset == 3 }
  }

  @Test func `depth costs no stack and has a bound`() throws {
    let deep = JSONReader.maximumDepth
    let text = String(repeating: "[", count: deep) + String(repeating: "]", count: deep)
    #expect(try JSONReader.read(text).text == text)
    #expect(throws: JSONReader.Failure.self) {
      _ = try JSONReader.read(String(repeating: "[", count: 100_000))
    }
  }
}
