/// A search text as expressions of FTS5, with everything in quotes, so that nothing is an operator.
struct SearchWords {
  /// The expression of each word, or of several in double quotes. A word that ends in `*` matches
  /// all words with that prefix.
  let each: [String]

  var isEmpty: Bool { each.isEmpty }
  /// The expression of all words together.
  var all: String { each.joined(separator: " AND ") }
  /// The expression of any of the words.
  var any: String { each.joined(separator: " OR ") }

  init(_ text: String) {
    var each: [String] = []
    // Texts at odd places are in quotes. The last quote, if nothing ends it, is none.
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index % 2 == 1, index < parts.count - 1 {
        each += Self.quoted(part).map { [$0] } ?? []
      } else {
        each += part.split(whereSeparator: \.isWhitespace).compactMap(Self.word)
      }
    }
    self.each = each
  }

  private static func word(_ word: Substring) -> String? {
    guard word.hasSuffix("*") else { return quoted(word) }
    return quoted(word.dropLast()).map { $0 + " *" }
  }

  private static func quoted(_ text: Substring) -> String? {
    let plain = text.filter { $0 != "\u{0}" }
    guard plain.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    return "\"" + plain + "\""
  }
}
