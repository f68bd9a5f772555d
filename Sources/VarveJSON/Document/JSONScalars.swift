/// Reads numbers and texts.
extension JSONReader {
  private mutating func digits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  mutating func number() throws(Failure) -> JSON {
    let start = position
    _ = take("-")
    let startsWithZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, whole == 1 || !startsWithZero else {
      position = start
      throw failure("a number is malformed")
    }
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
    if isFraction {
      if let value = Double(text), value.isFinite { return .fraction(value) }
    } else if let integer = Int64(text) {
      return .integer(integer)
    }
    position = start
    throw failure(
      isFraction
        ? "a number is too large"
        : "an integer does not fit 64 bits\(Self.hint(for: text))"
    )
  }

  /// Returns how to write an integer as a double; nothing if it is none.
  private static func hint(for text: String) -> String {
    guard let value = Double(text), value.isFinite else { return "" }
    return "; write it as \(value.description) for a double"
  }

  mutating func string() throws(Failure) -> String {
    position += 1
    let start = position
    skipPlain()
    if next == UInt8(ascii: "\"") {
      let text = try text(of: start..<position)
      position += 1
      return text
    }
    var result = try text(of: start..<position)
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return result
      case UInt8(ascii: "\\"):
        position += 1
        result += try escaped()
      case 0..<0x20: throw failure("a string has an unescaped control character")
      default:
        let start = position
        skipPlain()
        result += try text(of: start..<position)
      }
    }
    throw failure("a string does not end")
  }

  /// Skips bytes without a special meaning.
  private mutating func skipPlain() {
    position = bytes.withUnsafeBufferPointer { bytes in
      var index = position
      let end = bytes.count
      while index < end {
        let byte = bytes[index]
        if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
        index &+= 1
      }
      return index
    }
  }

  /// Returns the text of some bytes.
  private mutating func text(of range: Range<Int>) throws(Failure) -> String {
    if let text = String(validating: bytes[range], as: UTF8.self) { return text }
    var decoder = UTF8()
    var iterator = bytes[range].makeIterator()
    position = range.lowerBound
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      position += UTF8.width(scalar)
    }
    throw failure("a byte is not valid UTF-8")
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
    default:
      position -= 1
      throw failure("an unknown escape")
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
