import VarveCore

/// Full-text searches as SQL.
extension SessionReader {
  /// Returns the condition on rows with all words of a text, in any of some properties.
  func search(
    _ text: String,
    _ fields: [Field],
    in source: TableSource,
    of layouts: [TableLayout]
  ) throws -> SQLFragment {
    let words = SearchWords(text)
    try requireSearch(fields, in: source, of: layouts)
    guard !words.isEmpty else { return SQLFragment("0") }
    var parts: [SQLFragment] = []
    for layout in layouts {
      if let found = try search(words, fields, in: source, of: layout) { parts.append(found) }
    }
    guard !parts.isEmpty else { return SQLFragment("0") }
    return SQLFragment("(") + .joined(parts, by: " OR ") + SQLFragment(")")
  }

  private func requireSearch(
    _ fields: [Field],
    in source: TableSource,
    of layouts: [TableLayout]
  ) throws {
    let keys = fields.flatMap(\.searchedKeys)
    guard !keys.isEmpty else {
      throw VarveError(
        .invalidQuery,
        "the query names no property to search, and none is searchable",
        at: "query of \"\(source.layout.type)\"",
        remedy: "Declare one searchable, or name it in the query."
      )
    }
    for layout in layouts {
      guard try session.hasSearch(on: keys.map { SearchWish($0) }, of: layout.type) else {
        throw VarveError(
          .unsupported,
          "the texts of \"\(layout.type)\" are not prepared for search",
          at: "query of \"\(layout.type)\"",
          remedy: "Prepare them by `addSearch` or `varve index --search`, outside of a write."
        )
      }
    }
  }

  /// Returns the condition on the rows of one type; nil if none of its columns is searched.
  private func search(
    _ words: SearchWords,
    _ fields: [Field],
    in source: TableSource,
    of layout: TableLayout
  ) throws -> SQLFragment? {
    let tables = try session.wordTables(of: layout, isPatched(layout) ? .patch : .present)
    let own = Set(fields.compactMap(\.searchedKeys.first))
    let older = fields.flatMap(\.olderSearchedKeys)
    let searched = tables.filter { table in
      table.hasColumns(among: own) || older.contains { table.column($0.key) != nil }
    }
    guard !searched.isEmpty else { return nil }
    let isOlder = searched.contains { table in older.contains { table.column($0.key) != nil } }
    // One table has all words of a row together.
    if !isOlder, searched.count == 1, !words.each.contains(where: searched[0].lacks) {
      return try rows(searched[0], own, in: source) { $0.matches(words.all, $1) }
    }
    let parts = try words.each.map { word in
      var places: [SQLFragment] = []
      for table in searched {
        let matching = { (table: WordTable, columns: [String]) in
          table.lacks(word)
            ? table.contains(word.text, columns)
            : table.matches(word.expression, columns)
        }
        if table.hasColumns(among: own) {
          places.append(try rows(table, own, in: source, matching))
        }
        // A value under an older name counts only if there is none under a newer one.
        for (key, newer) in older {
          guard table.column(key) != nil else { continue }
          let missing = newer.map { source.isMissing(.property($0)) }
          let found = try rows(table, [key], in: source, matching)
          places.append(
            SQLFragment("(") + .joined(missing + [found], by: " AND ") + SQLFragment(")")
          )
        }
      }
      return SQLFragment("(") + .joined(places, by: " OR ") + SQLFragment(")")
    }
    return SQLFragment("(") + .joined(parts, by: " AND ") + SQLFragment(")")
  }

  /// Returns the condition on rows that a query of a table of words finds in some properties.
  ///
  /// - Parameter matching: returns the query of a table for some of its columns.
  private func rows(
    _ table: WordTable,
    _ keys: Set<PropertyKey>,
    in source: TableSource,
    _ matching: (WordTable, [String]) -> SQLFragment
  ) throws -> SQLFragment {
    func found(in table: WordTable) -> SQLFragment {
      SQLFragment("\(source.alias).row IN (") + matching(table, table.columns(among: keys))
        + SQLFragment(")")
    }
    guard table.scope == .patch else { return found(in: table) }
    let former = found(in: try pastWords(table))
    let present = try session.catalogue.layout(table.layout.type).flatMap { layout in
      try session.wordTables(of: layout).first { $0.tokenizer == table.tokenizer }
    }
    guard let present, present.hasColumns(among: keys) else { return former }
    // A present row that does not count has the number of the row in its place.
    let isPresent = "\(source.alias).row NOT IN (SELECT row FROM temp.varve_past_row)"
    return SQLFragment("(\(isPresent) AND ") + found(in: present) + SQLFragment(" OR ") + former
      + SQLFragment(")")
  }

  /// Returns an expression for how well words describe the rows of a source; see
  /// ``Field/relevance(_:_:)``.
  func relevance(
    _ text: String,
    _ fields: [Field],
    in source: TableSource,
    of layouts: [TableLayout]
  ) throws -> String {
    try requireSearch(fields, in: source, of: layouts)
    let words = SearchWords(text)
    guard !words.isEmpty else { return "(NULL + 0)" }
    let slot = try session.takeRelevanceSlot()
    let keys = Set(fields.flatMap(\.searchedKeys))
    for layout in layouts {
      for table in try session.wordTables(of: layout, isPatched(layout) ? .past : .present) {
        let columns = table.columns(among: keys)
        guard !columns.isEmpty else { continue }
        // How rare a word is depends on all texts of the state.
        let words = WordTable.expression(words.any, in: columns)
        try session.addRelevances(
          in: table.scope == .past ? pastWords(table) : table,
          of: words,
          to: slot
        )
      }
    }
    return """
      (SELECT rank FROM temp.varve_relevance WHERE slot = \(slot) AND row = \(source.alias).row)
      """
  }

  /// Creates a table of words of the past state, if there is none yet.
  private func pastWords(_ table: WordTable) throws -> WordTable {
    if session.past?.words.insert(table.name).inserted == true { try session.make(table) }
    return table
  }
}

extension Session {
  /// Returns the number of a new list of relevances.
  fileprivate func takeRelevanceSlot() throws -> Int {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS temp.varve_relevance (
        slot, row, rank, PRIMARY KEY (slot, row)) WITHOUT ROWID
      """
    )
    defer { relevanceSlot += 1 }
    return relevanceSlot
  }

  fileprivate func addRelevances(in table: WordTable, of words: String, to slot: Int) throws {
    let statement = try connection.ownStatement(
      """
      INSERT INTO temp.varve_relevance (slot, row, rank)
      SELECT ?, rowid, -bm25(\(table.name)) FROM \(table.qualifiedName) WHERE \(table.name) MATCH ?
      ON CONFLICT (slot, row) DO UPDATE SET rank = rank + excluded.rank
      """
    )
    statement.reserve(words.utf8.count)
    statement.bind(1, Int64(slot))
    statement.bind(2, text: words)
    try statement.run()
  }

  /// Forgets the relevances that queries of the transaction computed.
  func dropRelevances() {
    guard relevanceSlot > 0 else { return }
    // The table is gone if its transaction was rolled back.
    let sql = "DROP TABLE IF EXISTS temp.varve_relevance"
    if (try? connection.execute(sql)) != nil { relevanceSlot = 0 }
  }

  /// Drops the tables of words of the past state.
  func dropPastWords(_ pattern: String = "varve_words_%") throws {
    for (kind, end) in [("TABLE", ""), ("VIEW", "_texts")] {
      var names: [String] = []
      let objects = try connection.ownStatement(
        """
        SELECT name FROM temp.sqlite_master WHERE type = '\(kind.lowercased())' AND \
        name LIKE '\(pattern)\(end)' AND (type = 'view' OR sql LIKE 'CREATE VIRTUAL%')
        """
      )
      while try objects.step() { names.append(objects.text(0)) }
      objects.reset()
      for name in names { try connection.execute("DROP \(kind) temp.\(name)") }
    }
  }
}

extension WordTable {
  /// Returns the names of the columns of some properties.
  fileprivate func columns(among keys: Set<PropertyKey>) -> [String] {
    columns.filter { keys.contains($0.key) }.map(\.name)
  }

  fileprivate func hasColumns(among keys: Set<PropertyKey>) -> Bool {
    columns.contains { keys.contains($0.key) }
  }

  /// Whether the table cannot find a word, which is shorter than what it indexes.
  fileprivate func lacks(_ word: SearchWords.Word) -> Bool {
    tokenizer == .substrings && word.isShort
  }

  /// Returns the query for the rows that an expression finds in columns.
  fileprivate func matches(_ expression: String, _ columns: [String]) -> SQLFragment {
    SQLFragment(
      "SELECT rowid FROM \(qualifiedName) WHERE \(name) MATCH ?",
      [.text(Self.expression(expression, in: columns))]
    )
  }

  /// Returns the query for the rows whose texts in columns contain another, which reads all texts.
  fileprivate func contains(_ text: String, _ columns: [String]) -> SQLFragment {
    let parts = columns.map {
      SQLFragment("instr(varve_fold(\($0)), ?) > 0", [.text(text.caseFolded)])
    }
    return SQLFragment("SELECT row FROM \(qualifiedView) WHERE ") + .joined(parts, by: " OR ")
  }

  /// Returns an expression limited to columns.
  fileprivate static func expression(_ words: String, in columns: [String]) -> String {
    "{\(columns.joined(separator: " "))} : (\(words))"
  }
}

extension Field {
  /// The properties that a search in the field reads.
  fileprivate var searchedKeys: [PropertyKey] {
    switch self {
    case .property(let key): [key]
    case .firstOf(let key, let older): [key] + older
    case .joined(_, let inner), .decimal(let inner), .folded(let inner): inner.searchedKeys
    case .identifier, .datestamp, .modified, .inside, .ofRelated, .aggregate, .relevance: []
    }
  }

  /// The older names of the property that a search in the field reads, each with its newer ones.
  fileprivate var olderSearchedKeys: [(key: PropertyKey, newer: [PropertyKey])] {
    let keys = searchedKeys
    return keys.indices.dropFirst().map { (keys[$0], Array(keys[..<$0])) }
  }
}
