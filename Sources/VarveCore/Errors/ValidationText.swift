extension ValidationError {
  /// The English texts of the rules that `Validation` checks, by the rules' names. A text follows
  /// the name of a property. An upper limit may be excluded, and a count may be one; the wording
  /// fits each case.
  package static let englishTexts = [
    "blank": "must not be blank",
    "tooLow": #"must be at least \(min)"#,
    "tooHigh": #"is too high for a limit of \(max)"#,
    "tooShort": #"needs a length of at least \(min)"#,
    "tooLong": #"needs a length of at most \(max)"#,
    "mismatch": "does not have the right form",
    "taken": "is already taken",
  ]

  /// Returns a text with each `\(name)` replaced by the entry of that name in ``data``. Other
  /// tokens stay, and replaced text is not scanned again: a value cannot inject a token.
  ///
  /// - Complexity: O(length of the result).
  package func interpolated(_ text: String) -> String {
    let opening = #"\("#.utf8
    var result = ""
    var rest = text.utf8[...]
    while let token = rest.firstRange(of: opening) {
      result += Substring(rest[..<token.lowerBound])
      rest = rest[token.upperBound...]
      // A name ends before the next token begins, so nothing is searched twice.
      let piece = rest[..<(rest.firstRange(of: opening)?.lowerBound ?? rest.endIndex)]
      guard let end = piece.firstIndex(of: UInt8(ascii: ")")),
        let value = data[String(Substring(piece[..<end]))]
      else {
        result += #"\("#
        continue
      }
      result += value
      rest = rest[rest.index(after: end)...]
    }
    return result + Substring(rest)
  }
}
