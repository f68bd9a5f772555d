/// The words, names and parentheses of SQL. Texts, numbers, comments and other signs are passed over.
struct SQLTokens {
  enum Token: Hashable {
    /// A keyword, in lower case.
    case word(String)
    /// A name that is no keyword, quoted or not, in lower case.
    case name(String)
    case open
    case close
    case other
  }

  private let bytes: [UInt8]
  private var index = 0
  /// Whether the last name only says where the next one is found, or is a function's.
  private(set) var isQualifier = false

  init(_ sql: String) { bytes = Array(sql.utf8) }

  /// Returns the next token; nil at the end.
  mutating func next() -> Token? {
    skipSpace()
    guard index < bytes.count else { return nil }
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "("):
      index += 1
      return .open
    case UInt8(ascii: ")"):
      index += 1
      return .close
    case UInt8(ascii: "'"):
      _ = quoted(until: byte)
      return .other
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return name(quoted(until: byte))
    case UInt8(ascii: "["): return name(quoted(until: UInt8(ascii: "]")))
    case _ where Self.isOfName(byte): return unquoted()
    default:
      index += 1
      return .other
    }
  }

  private mutating func unquoted() -> Token {
    let start = index
    while index < bytes.count, Self.isOfName(bytes[index]) { index += 1 }
    guard !Self.digits.contains(bytes[start]) else { return .other }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    let folded = text.lowercased()
    return SQLKeywords.all.contains(text.uppercased()) ? .word(folded) : name(folded)
  }

  private mutating func name(_ text: String) -> Token {
    skipSpace()
    let next = index < bytes.count ? bytes[index] : 0
    isQualifier = next == UInt8(ascii: ".") || next == UInt8(ascii: "(")
    return .name(text.lowercased())
  }

  /// Passes over a quoted text, in which the closing quote is written twice, and returns it.
  private mutating func quoted(until end: UInt8) -> String {
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      if bytes[index] == end {
        index += 1
        guard index < bytes.count, bytes[index] == end, end != UInt8(ascii: "]") else { break }
      }
      text.append(bytes[index])
      index += 1
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Passes over space and comments.
  private mutating func skipSpace() {
    while index < bytes.count {
      if bytes[index] <= UInt8(ascii: " ") {
        index += 1
      } else if isAt("--") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if isAt("/*") {
        index += 2
        while index < bytes.count, !isAt("*/") { index += 1 }
        index = min(index + 2, bytes.count)
      } else {
        return
      }
    }
  }

  private func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[index...].starts(with: $0) }
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
      true
    default: digits.contains(byte)
    }
  }
}
