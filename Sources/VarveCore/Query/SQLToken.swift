/// A token of an SQL text, as SQLite's tokenizer separates them. Comments and spaces are none.
package enum SQLToken: Hashable, Sendable {
  /// An identifier or a keyword without quotes, or a number.
  case word(String)
  /// An identifier in double quotes, in back quotes or in brackets.
  case quoted(String)
  /// A text in single quotes.
  case text(String)
  /// An operator, of one or two characters, or a placeholder's `?`.
  case sign(String)

  /// Returns the tokens of SQL.
  package static func tokens(of sql: String) -> [SQLToken] {
    var scanner = SQLScanner(rest: sql.utf8[...])
    var tokens: [SQLToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }

  /// Whether the token is a keyword.
  package func isKeyword(_ keyword: String) -> Bool {
    if case .word(let word) = self { word.uppercased() == keyword } else { false }
  }

  /// The name that the token may be.
  package var name: String? {
    switch self {
    case .word(let name), .quoted(let name): name
    case .text, .sign: nil
    }
  }
}

/// Reads the tokens of SQL one after the other.
private struct SQLScanner {
  var rest: Substring.UTF8View

  mutating func next() -> SQLToken? {
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "-") where rest.dropFirst().first == byte:
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"): dropComment()
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20: rest = rest.dropFirst()
      case UInt8(ascii: "'"): return .text(quoted(until: byte))
      case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(quoted(until: byte))
      case UInt8(ascii: "["):
        let inner = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        rest = rest[inner.endIndex...].dropFirst()
        return .quoted(String(decoding: inner, as: UTF8.self))
      case _ where byte.isPartOfName:
        let word = rest.prefix(while: \.isPartOfName)
        rest = rest[word.endIndex...]
        return .word(String(decoding: word, as: UTF8.self))
      default: return .sign(sign())
      }
    }
    return nil
  }

  /// Returns a quoted token, in which two quotes stand for one.
  private mutating func quoted(until quote: UInt8) -> String {
    var content: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == quote {
        guard rest.first == quote else { break }
        rest = rest.dropFirst()
      }
      content.append(byte)
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Drops a comment, which ends at `*/` or with the text.
  private mutating func dropComment() {
    rest = rest.dropFirst(2)
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") {
        rest = rest.dropFirst()
        return
      }
    }
  }

  private static let longSigns: Set<String> = [
    "<=", ">=", "<>", "!=", "==", "||", "<<", ">>", "->",
  ]

  private mutating func sign() -> String {
    let two = String(decoding: rest.prefix(2), as: UTF8.self)
    let length = Self.longSigns.contains(two) ? 2 : 1
    defer { rest = rest.dropFirst(length) }
    return String(decoding: rest.prefix(length), as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether the byte belongs to an unquoted name.
  fileprivate var isPartOfName: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...0xFF: true
    default: false
    }
  }
}
