/// The words of an SQL text that may be names, as SQLite's tokenizer separates them.
///
/// A word is an identifier or a keyword, also in double quotes, in back quotes or in brackets. A
/// text in single quotes counts too: SQLite takes one for a name where no text can stand. Words in
/// comments do not count.
package struct SQLWords: Sendable {
  private var words: Set<FoldedName> = []

  /// Reads the words of SQL.
  package init(_ sql: String) { add(sql) }

  package init() {}

  /// Whether the word occurs, in any case of its ASCII letters.
  package func contains(_ name: String) -> Bool { words.contains(FoldedName(name)) }

  package func contains(_ name: FoldedName) -> Bool { words.contains(name) }

  /// Whether a word may name a table of Varve or SQLite, which changes with entities of any type,
  /// or a table as it is stored.
  var nameInternalTables: Bool {
    contains("main") || contains("dbstat")
      || words.contains { word in
        !Self.functions.contains(word)
          && ["varve_", "sqlite_", "pragma_"].contains { word.hasPrefix($0) }
      }
  }

  /// The functions that SQL of callers uses.
  private static let functions = Set(
    ["varve_text", "varve_json", "varve_date", "varve_date_text", "varve_joined"]
      .map { FoldedName($0) }
  )

  /// The words.
  package var all: Set<FoldedName> { words }

  /// Adds the words of another text.
  package mutating func add(_ sql: String) {
    for token in SQLToken.tokens(of: sql) {
      switch token {
      case .word(let word), .quoted(let word), .text(let word): words.insert(FoldedName(word))
      case .sign: break
      }
    }
  }
}
