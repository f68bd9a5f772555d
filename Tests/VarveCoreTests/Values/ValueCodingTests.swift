import Foundation
import Testing
import VarveCore
import VarveTestSupport

@Suite("The canonical encoding of values")
struct ValueCodingTests {
  static let values: [Value] = [
    true, false, 0, 1, -1, .int(.min), .int(.max), .int(.min + 1), .int(63), .int(64), .int(-65),
    .double(0), .double(-0.0), .double(.infinity), .double(-.infinity), .double(.nan),
    .double(Double(bitPattern: 0x7FF8_0000_DEAD_BEEF)), .double(.leastNonzeroMagnitude),
    .double(Double(bitPattern: 0xFFF0_0000_0000_0001)), .double(.greatestFiniteMagnitude),
    "", "a", "\0", "\u{E9}", "e\u{301}", "👩‍👩‍👧", "\u{FEFF}", "\u{10FFFF}",
    .date(Date(timeIntervalSinceReferenceDate: 0.1)), .date(.distantPast), .date(.distantFuture),
    .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: 0x7FF8_0000_0000_0042))),
    .date(Date(timeIntervalSinceReferenceDate: -0.0)),
    .data(Data()), .data(Data([0, 255])), .reference("x"),
    .reference("01900000-0000-7000-8000-000000000000"),
    .reference("01900000-0000-7000-8000-00000000000A"),
    [], [[], [:], [1, "a", .data(Data())]], [:], ["": 1, "\u{E9}": 2, "e\u{301}": ["z": []]],
  ]

  @Test(arguments: values)
  func `the canonical encoding of values bring every value back to the bit`(value: Value) throws {
    let decoded = try Value(encoded: value.encoded)
    #expect(decoded == value)
    #expect(decoded.encoded == value.encoded)
    if case .double(let number) = value, case .double(let again) = decoded {
      #expect(number.bitPattern == again.bitPattern)
    }
    if case .date(let date) = value, case .date(let again) = decoded {
      #expect(
        date.timeIntervalSinceReferenceDate.bitPattern
          == again.timeIntervalSinceReferenceDate.bitPattern
      )
    }
  }

  @Test func `the canonical encoding of values distinguish different values`() {
    #expect(Set(Self.values).count == Self.values.count)
    #expect(Set(Self.values.map(\.encoded)).count == Self.values.count)
    #expect(Value.double(-0.0) != .double(0))
    #expect(Value.string("\u{E9}") != .string("e\u{301}"))
    #expect(Value.int(1) != .double(1))
    #expect(Value.double(.nan) == .double(.nan))
  }

  @Test func `the canonical encoding of values bring back 2,000 random nested values`() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2_000 {
      let value = random.value(references: ["a", .new()])
      #expect(try Value(encoded: value.encoded) == value)
    }
  }

  @Test(
    arguments: [
      ("an integer in more bytes than it needs", [2, 0x80, 0x00]),
      ("an integer of eleven bytes", [2] + [UInt8](repeating: 0xFF, count: 10) + [1]),
      ("an integer beyond 64 bits", [2] + [UInt8](repeating: 0xFF, count: 9) + [2]),
      ("a length in more bytes than it needs", [4, 0x81, 0x00, 0x61]),
      ("a truth value of 2", [1, 2]),
      ("keys out of order", [9, 2, 1, 0x62, 1, 0, 1, 0x61, 1, 0]),
      ("a key twice", [9, 2, 1, 0x61, 1, 0, 1, 0x61, 1, 1]),
      ("an identifier shaped as a UUID, as text", [7, 36] + uuidText),
      ("an unknown kind", [0]), ("another unknown kind", [10, 0]),
      ("bytes after the value", [1, 1, 0]), ("nothing", []),
      ("a text that is not UTF-8", [4, 1, 0xFF]),
      ("a surrogate", [4, 3, 0xED, 0xA0, 0x80]),
      ("a count without elements", [8, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
    ] as [(String, [UInt8])]
  )
  func `the canonical encoding of values refuse bytes that are not canonical`(
    what: String,
    bytes: [UInt8]
  ) {
    #expect(performing { try Value(encoded: bytes) } == .damaged, "\(what)")
  }

  private static let uuidText = Array("01900000-0000-7000-8000-000000000000".utf8)

  @Test func `end nesting at the limit, not at the end of the stack`() throws {
    func nested(_ depth: Int) -> Value {
      (0..<depth).reduce(Value.int(1)) { value, _ in .array([value]) }
    }
    let deepest = nested(Value.maximumDepth)
    try deepest.validate(at: "here")
    #expect(try Value(encoded: deepest.encoded) == deepest)
    let deeper = nested(Value.maximumDepth + 1)
    #expect(performing { try deeper.validate(at: "here") } == .unsupportedValue)
    #expect(performing { try Value(encoded: deeper.encoded) } == .damaged)
  }

  @Test func `allocate no more memory for a hostile document than it has bytes`() {
    // Each level claims as many elements as bytes are left.
    var writer = ByteWriter()
    for level in 0..<500 {
      writer.byte(Value.Kind.array.rawValue)
      writer.varint(8 << 20 - level * 8)
    }
    let bytes = writer.bytes + [UInt8](repeating: 0, count: 8 << 20)
    #expect(performing { try Value(encoded: bytes) } == .damaged)
  }

  @Test func `the canonical encoding of values use exactly the bytes of the frozen format`() {
    #expect(Value.int(-1).encoded == [2, 1])
    #expect(Value.int(300).encoded == [2, 0xD8, 0x04])
    #expect(Value.double(1).encoded == [3, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
    #expect(Value.string("é").encoded == [4, 2, 0xC3, 0xA9])
    #expect(Value.reference("x").encoded == [7, 1, 0x78])
    #expect(Value.dictionary(["b": true, "a": []]).encoded == [9, 2, 1, 97, 8, 0, 1, 98, 1, 1])
  }
}

/// Returns the code of the thrown error; nil if none is thrown.
func performing(_ body: () throws -> some Any) -> VarveError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? VarveError)?.code
  }
}
