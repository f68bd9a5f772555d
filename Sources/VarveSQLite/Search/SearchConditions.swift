import VarveCore

extension SessionReader {
  /// Returns the condition for rows that contain all words of a text, in any of some properties.
  func search(
    _ text: String,
    _ fields: [Field],
    in source: TableSource,
    of layouts: [TableLayout]
  ) throws -> SQLFragment {
    guard moment == .now else { throw QueryCompiler.noSearch }
    let keys = fields.flatMap(\.searchedKeys)
    guard !keys.isEmpty else {
      throw VarveError(
        .invalidQuery,
        "the query names no property to search, and none is searchable",
        at: "query of \"\(source.layout.type)\"",
        remedy: "Declare one searchable, or name it in the query."
      )
    }
    guard let words = SearchWords(text).expression else { return SQLFragment("0") }
    var parts: [SQLFragment] = []
    for layout in layouts {
      let columns = try session.searchedColumns(of: layout)
      let names = columns.filter { keys.contains($0.key) }.map { "k\($0.keyNumber)" }
      guard try session.hasSearch(on: keys, of: layout.type) else {
        throw VarveError(
          .unsupported,
          "the texts of \"\(layout.type)\" are not prepared for search",
          at: "query of \"\(layout.type)\"",
          remedy: "Search once through a store that was opened for writing, outside of a write."
        )
      }
      guard !names.isEmpty else { continue }
      let table = "varve_search_\(layout.typeNumber)"
      parts.append(
        SQLFragment(
          "\(source.alias).row IN (SELECT rowid FROM \(table) WHERE \(table) MATCH ?)",
          [.text("{\(names.joined(separator: " "))} : (\(words))")]
        )
      )
    }
    guard !parts.isEmpty else { return SQLFragment("0") }
    return SQLFragment("(") + .joined(parts, by: " OR ") + SQLFragment(")")
  }
}

/// The search text as an FTS5 expression, with every word in quotes, so that none is an operator.
struct SearchWords {
  /// The expression, or nil if the text has no words. A word that ends in `*` stands for all words
  /// with that prefix.
  let expression: String?

  init(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).compactMap { word -> String? in
      let isPrefix = word.hasSuffix("*")
      let plain = (isPrefix ? word.dropLast() : word).filter { $0 != "\u{0}" }
      guard plain.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
      let quoted = "\"" + plain.replacing("\"", with: "\"\"") + "\""
      return isPrefix ? quoted + " *" : quoted
    }
    expression = words.isEmpty ? nil : words.joined(separator: " AND ")
  }
}

extension Field {
  /// The properties that a search in the field reads.
  fileprivate var searchedKeys: [PropertyKey] {
    switch self {
    case .property(let key): [key]
    case .firstOf(let key, let older): [key] + older
    case .joined(_, let inner), .decimal(let inner): inner.searchedKeys
    case .identifier, .datestamp, .modified: []
    }
  }
}
