/// How full-text search cuts the texts of a property into words.
public enum SearchTokenizer: String, Hashable, Sendable, CaseIterable {
  /// Words, without regard to case and to diacritics: "Café" is found as "cafe".
  case words
  /// Words, without regard to case. Diacritics count.
  case accents
  /// English words by their stems: "connected" is found as "connecting".
  case stems
  /// Every three characters in a row, without regard to case: "bowler" is found as "owl". Shorter
  /// words are looked for in every text, which takes longer. It suits languages that put no spaces
  /// between words, such as Chinese, Japanese and Thai: the others take a whole run of such letters
  /// for one word.
  case substrings
}

/// The wish for a full-text search of a property.
package struct SearchWish: Hashable, Sendable {
  package var key: PropertyKey
  /// The tokenizer; nil for the one that the property has, or ``SearchTokenizer/words``.
  package var tokenizer: SearchTokenizer?

  package init(_ key: PropertyKey, by tokenizer: SearchTokenizer? = nil) {
    self.key = key
    self.tokenizer = tokenizer
  }
}
