#if CommandLine
/// Splits a line into words as shells do: by spaces outside of quotes. A backslash takes the next
/// character as it is, except between single quotes.
struct ShellWords {
  private(set) var words: [String] = []
  /// The quote that is still open at the end of the line.
  private(set) var openQuote: Character?
  /// The word at the end of the line, which may continue: as it was typed, and without its quotes.
  private(set) var last: (typed: Substring, word: String)

  init(_ line: String) {
    var word: String?
    var rest = line[...]
    var start = line.endIndex
    while !rest.isEmpty {
      let place = rest.startIndex
      let character = rest.removeFirst()
      if word == nil { start = place }
      if character == openQuote {
        openQuote = nil
      } else if character == "\\", openQuote != "'" {
        // Between double quotes, a backslash stands for itself before other characters.
        let isEscape = openQuote == nil || rest.first == "\"" || rest.first == "\\"
        word = (word ?? "") + (isEscape ? rest.popFirst().map(String.init) ?? "" : "\\")
      } else if openQuote == nil, character == "'" || character == "\"" {
        openQuote = character
        word = word ?? ""
      } else if openQuote == nil, character.isWhitespace {
        if let ended = word { words.append(ended) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    last = word.map { (line[start...], $0) } ?? ("", "")
    if let word { words.append(word) }
  }

  /// Returns a word as a line has it.
  static func quoted(_ word: String) -> String {
    guard word.isEmpty || word.contains(where: { $0.isWhitespace || "'\"\\".contains($0) }) else {
      return word
    }
    guard word.contains("'") else { return "'\(word)'" }
    return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
#endif
