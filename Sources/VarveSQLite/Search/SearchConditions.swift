import VarveCore

extension SessionReader {
  /// The rows that contain all the words of a text, in any of some properties.
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
        "no property to search is named, and none is searchable",
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

/// What somebody searches for, as FTS5 has it: every word in quotes, so that none is an operator.
struct SearchWords {
  /// The expression; nil without a word. A word that ends in `*` stands for all that begin so.
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
  /// The properties a search in the field looks at.
  fileprivate var searchedKeys: [PropertyKey] {
    switch self {
    case .property(let key): [key]
    case .firstOf(let key, let older): [key] + older
    case .joined(_, let inner), .decimal(let inner): inner.searchedKeys
    case .identifier, .datestamp, .modified: []
    }
  }
}
