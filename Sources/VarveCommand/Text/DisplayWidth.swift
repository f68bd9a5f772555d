#if CommandLine
import VarveCore

/// The number of terminal columns of a text.
///
/// East Asian wide characters (UAX #11) and emoji take two columns, combining marks none. Terminals
/// differ in rare sequences; these rules match most of them.
extension StringProtocol {
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// Returns the longest prefix that fits into a number of columns.
  func prefix(displayWidth width: Int) -> String {
    var left = width
    return String(
      prefix { character in
        left -= character.displayWidth
        return left >= 0
      }
    )
  }

  /// Returns the text, with an ellipsis in place of what does not fit.
  func truncated(toDisplayWidth width: Int) -> String {
    displayWidth <= width ? String(self) : prefix(displayWidth: width - 1) + "…"
  }

  /// The text on one line, safe for a terminal: control characters are escaped.
  var printable: String { escaped(where: \.isControl) }

  /// The text, safe for a terminal, with its line breaks: other control characters are escaped.
  var printableLines: String { escaped { $0.isControl && $0 != "\n" } }

  /// The text of JSON documents, safe for a terminal: control characters are escaped as JSON escapes
  /// them, so that the documents stay the same.
  var printableJSON: String {
    guard unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) else {
      return String(self)
    }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isControl, scalar != "\n" else { return text.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

extension Character {
  fileprivate var displayWidth: Int {
    var width = 0
    for scalar in unicodeScalars {
      if scalar == "\u{FE0F}" { return 2 }
      width = Swift.max(width, scalar.displayWidth)
    }
    return width
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a control character, or changes the direction of the text.
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
    default: false
    }
  }

  fileprivate var displayWidth: Int {
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return properties.isEmojiPresentation || isWide ? 2 : 1
    }
  }

  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF, 0x1F1E6...0x1F1FF,
      0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
#endif
