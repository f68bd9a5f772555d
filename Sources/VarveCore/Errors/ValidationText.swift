extension ValidationError {
  /// What is said in English of the rules that `Validation` checks, by their names. The texts follow
  /// the name of a property. An upper limit may itself be excluded, and a count may be one: the
  /// words are true for all of them.
  package static let englishTexts = [
    "blank": "must not be blank",
    "tooLow": #"must be at least \(min)"#,
    "tooHigh": #"is too high for a limit of \(max)"#,
    "tooShort": #"needs a length of at least \(min)"#,
    "tooLong": #"needs a length of at most \(max)"#,
    "mismatch": "does not have the right form",
    "taken": "is already taken",
  ]

  /// A text with each `\(name)` replaced by what ``data`` has under the name. Other tokens stay, and
  /// what was put in is not looked at again: a value cannot inject a token.
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
