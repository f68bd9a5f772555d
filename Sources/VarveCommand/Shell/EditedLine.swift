#if CommandLine
/// A line that is being edited, with a cursor.
struct EditedLine {
  private var characters: [Character]
  private var cursor: Int

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }
  var beforeCursor: String { String(characters[..<cursor]) }
  var afterCursor: String { String(characters[cursor...]) }

  /// Replaces a number of characters before the cursor.
  mutating func replace(_ count: Int, by text: String) {
    let start = max(0, cursor - count)
    characters.replaceSubrange(start..<cursor, with: text)
    cursor = start + text.count
  }

  /// Applies a key that edits; others do nothing.
  mutating func apply(_ key: TerminalKey) {
    switch key {
    case .text(let text): insert(text)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .backspace where cursor > 0:
      cursor -= 1
      characters.remove(at: cursor)
    case .delete, .endOfInput:
      if cursor < characters.count { characters.remove(at: cursor) }
    case .cutToEnd: characters.removeSubrange(cursor...)
    case .cutToStart:
      characters.removeSubrange(..<cursor)
      cursor = 0
    case .cutWord: cutWord()
    default: break
    }
  }

  private mutating func insert(_ text: String) {
    // A mark may combine with the character before the cursor.
    let before = Array(beforeCursor + text)
    characters = before + characters[cursor...]
    cursor = before.count
  }

  private mutating func cutWord() {
    var start = cursor
    while start > 0, characters[start - 1].isWhitespace { start -= 1 }
    while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
    characters.removeSubrange(start..<cursor)
    cursor = start
  }
}
#endif
