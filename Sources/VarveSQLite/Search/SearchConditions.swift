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
    let words = SearchWords(text)
    guard !words.isEmpty else { return SQLFragment("0") }
    var parts: [SQLFragment] = []
    for layout in layouts {
      guard try session.hasSearch(on: keys, of: layout.type) else {
        throw VarveError(
          .unsupported,
          "the texts of \"\(layout.type)\" are not prepared for search",
          at: "query of \"\(layout.type)\"",
          remedy: "Search once through a store that was opened for writing, outside of a write."
        )
      }
      if let found = try search(words, fields, in: source, of: layout) { parts.append(found) }
    }
    guard !parts.isEmpty else { return SQLFragment("0") }
    return SQLFragment("(") + .joined(parts, by: " OR ") + SQLFragment(")")
  }

  /// Returns the condition on the rows of one type; nil if none of its columns is searched.
  private func search(
    _ words: SearchWords,
    _ fields: [Field],
    in source: TableSource,
    of layout: TableLayout
  ) throws -> SQLFragment? {
    var names: [PropertyKey: String] = [:]
    for column in try session.searchedColumns(of: layout) {
      names[column.key] = "k\(column.keyNumber)"
    }
    let table = "varve_search_\(layout.typeNumber)"
    func rows(_ columns: [String], _ expression: String) -> SQLFragment {
      SQLFragment(
        "\(source.alias).row IN (SELECT rowid FROM \(table) WHERE \(table) MATCH ?)",
        [.text("{\(columns.joined(separator: " "))} : (\(expression))")]
      )
    }
    let own = fields.flatMap { $0.searchedKeys.prefix(1) }.compactMap { names[$0] }
    let older = fields.flatMap(\.olderSearchedKeys).filter { names[$0.key] != nil }
    guard !older.isEmpty else { return own.isEmpty ? nil : rows(own, words.all) }
    // A value under an older name counts only if there is none under a newer one.
    let parts = words.each.map { word in
      var places = own.isEmpty ? [] : [rows(own, word)]
      for (key, newer) in older {
        guard let name = names[key] else { continue }
        let missing = newer.map { source.isMissing(.property($0)) }
        places.append(
          SQLFragment("(") + .joined(missing + [rows([name], word)], by: " AND ") + SQLFragment(")")
        )
      }
      return SQLFragment("(") + .joined(places, by: " OR ") + SQLFragment(")")
    }
    return SQLFragment("(") + .joined(parts, by: " AND ") + SQLFragment(")")
  }
}

/// The search text as an FTS5 expression, with every word in quotes, so that none is an operator.
struct SearchWords {
  /// The expression of each word. A word that ends in `*` matches all words with that prefix.
  let each: [String]

  var isEmpty: Bool { each.isEmpty }
  /// The expression of all words together.
  var all: String { each.joined(separator: " AND ") }

  init(_ text: String) {
    each = text.split(whereSeparator: \.isWhitespace).compactMap { word -> String? in
      let isPrefix = word.hasSuffix("*")
      let plain = (isPrefix ? word.dropLast() : word).filter { $0 != "\u{0}" }
      guard plain.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
      let quoted = "\"" + plain.replacing("\"", with: "\"\"") + "\""
      return isPrefix ? quoted + " *" : quoted
    }
  }
}

extension Field {
  /// The properties that a search in the field reads.
  fileprivate var searchedKeys: [PropertyKey] {
    switch self {
    case .property(let key): [key]
    case .firstOf(let key, let older): [key] + older
    case .joined(_, let inner), .decimal(let inner), .folded(let inner): inner.searchedKeys
    case .identifier, .datestamp, .modified, .inside, .ofRelated, .aggregate: []
    }
  }

  /// The older names of the property that a search in the field reads, each with its newer ones.
  fileprivate var olderSearchedKeys: [(key: PropertyKey, newer: [PropertyKey])] {
    let keys = searchedKeys
    return keys.indices.dropFirst().map { (keys[$0], Array(keys[..<$0])) }
  }
}
