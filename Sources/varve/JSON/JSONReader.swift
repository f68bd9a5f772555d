/// Reads one JSON document (RFC 8259), strictly: no trailing commas, no name twice in an object.
struct JSONReader {
  /// Why a text is no JSON document.
  struct Failure: Error, CustomStringConvertible {
    let message: String
    let byteOffset: Int
    var description: String { "\(message) at byte \(byteOffset)" }
  }

  private static let maximumDepth = 512

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// The document a text holds.
  static func read(_ text: String) throws(Failure) -> JSON {
    var reader = JSONReader(text)
    let document = try reader.value()
    reader.skipSpace()
    guard reader.position == reader.bytes.count else {
      throw reader.failure("something follows the document")
    }
    return document
  }

  private func failure(_ message: String) -> Failure {
    Failure(message: message, byteOffset: position)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(Failure) -> JSON {
    skipSpace()
    guard let byte = next else { throw failure("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "{"): return try nested { (reader) throws(Failure) in try reader.object() }
    case UInt8(ascii: "["): return try nested { (reader) throws(Failure) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(Failure) -> JSON
  ) throws(Failure) -> JSON {
    guard depth < Self.maximumDepth else { throw failure("values are nested too deep") }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private mutating func object() throws(Failure) -> JSON {
    position += 1
    var members: [JSON.Member] = []
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else {
        throw failure("the name \"\(name)\" stands twice")
      }
      skipSpace()
      guard take(":") else { throw failure("a colon is expected") }
      members.append(JSON.Member(name: name, value: try value()))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("a comma or } is expected") }
    }
  }

  private mutating func array() throws(Failure) -> JSON {
    position += 1
    var elements: [JSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      elements.append(try value())
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw failure("a comma or ] is expected") }
    }
  }

  private mutating func word() throws(Failure) -> JSON {
    let words: [(String, JSON)] = [("true", true), ("false", false), ("null", .null)]
    for (word, value) in words where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw failure("a value is expected")
  }
}

extension JSONReader {
  private mutating func digits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func number() throws(Failure) -> JSON {
    let start = position
    _ = take("-")
    let startsWithZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, whole == 1 || !startsWithZero else { throw failure("a number is malformed") }
    var isFraction = false
    if take(".") {
      isFraction = true
      guard digits() > 0 else { throw failure("digits are expected") }
    }
    if take("e") || take("E") {
      isFraction = true
      if !take("+") { _ = take("-") }
      guard digits() > 0 else { throw failure("digits are expected") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if !isFraction {
      if let integer = Int64(text) { return .integer(integer) }
      throw failure("an integer does not fit 64 bits; write it as \(text).0 for a double")
    }
    guard let value = Double(text), value.isFinite else { throw failure("a number is too large") }
    return .fraction(value)
  }

  private mutating func string() throws(Failure) -> String {
    position += 1
    var result: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"): result.append(contentsOf: try escaped().utf8)
      case 0..<0x20: throw failure("a control character stands unescaped in a string")
      default: result.append(byte)
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escaped() throws(Failure) -> String {
    guard let byte = next else { throw failure("a string does not end") }
    position += 1
    switch Unicode.Scalar(byte) {
    case "\"": return "\""
    case "\\": return "\\"
    case "/": return "/"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return try unicodeEscape()
    default: throw failure("an unknown escape")
    }
  }

  private mutating func unicodeEscape() throws(Failure) -> String {
    var units = [try codeUnit()]
    if UTF16.isLeadSurrogate(units[0]) {
      guard take("\\"), take("u") else { throw failure("half of a surrogate pair is missing") }
      units.append(try codeUnit())
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw failure("an unpaired surrogate")
    }
    return text
  }

  private mutating func codeUnit() throws(Failure) -> UInt16 {
    let end = position + 4
    guard end <= bytes.count,
      bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits are expected") }
    position = end
    return unit
  }
}
