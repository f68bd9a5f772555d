/// A search text as expressions of FTS5, with everything in quotes, so that nothing is an operator.
struct SearchWords {
  /// A word, or several in double quotes. A word that ends in `*` matches all words with that
  /// prefix.
  struct Word {
    /// The text, without quotes and `*`.
    let text: String
    let isPrefix: Bool

    /// The word as an expression.
    var expression: String { "\"" + text + "\"" + (isPrefix ? " *" : "") }

    /// Whether the word has fewer characters than ``SearchTokenizer/substrings`` indexes in a row.
    var isShort: Bool { text.unicodeScalars.prefix(3).count < 3 }
  }

  let each: [Word]

  var isEmpty: Bool { each.isEmpty }
  /// The expression of all words together.
  var all: String { each.map(\.expression).joined(separator: " AND ") }
  /// The expression of any of the words.
  var any: String { each.map(\.expression).joined(separator: " OR ") }

  init(_ text: String) {
    var each: [Word] = []
    // Texts at odd places are in quotes. The last quote, if nothing ends it, is none.
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index % 2 == 1, index < parts.count - 1 {
        each += Self.word(part, isPrefix: false).map { [$0] } ?? []
      } else {
        each += part.split(whereSeparator: \.isWhitespace).compactMap { word in
          let isPrefix = word.hasSuffix("*")
          return Self.word(isPrefix ? word.dropLast() : word, isPrefix: isPrefix)
        }
      }
    }
    self.each = each
  }

  private static func word(_ text: Substring, isPrefix: Bool) -> Word? {
    let plain = text.filter { $0 != "\u{0}" }
    guard plain.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    return Word(text: plain, isPrefix: isPrefix)
  }
}
