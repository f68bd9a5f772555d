#if CommandLine
/// Splits a line into words as shells do: by spaces outside of quotes. A backslash takes the next
/// character as it is, except between single quotes.
struct ShellWords {
  private(set) var words: [String] = []
  /// The quote that is still open at the end of the line.
  private(set) var openQuote: Character?

  init(_ line: String) {
    var word: String?
    var rest = line[...]
    while let character = rest.popFirst() {
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
    if let word { words.append(word) }
  }
}
#endif
