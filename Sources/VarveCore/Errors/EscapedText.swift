extension StringProtocol {
  /// The text with an escape sequence, such as `\n` or `\u{1b}`, in place of some characters.
  package func escaped(where isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return String(self) }
    var text = ""
    for scalar in unicodeScalars {
      guard isEscaped(scalar) else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\\": text += "\\\\"
      default: text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text
  }
}
