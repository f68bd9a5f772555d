import VarveCore

/// Full-text search: tables of words beside the table of a type, one for each tokenizer, maintained
/// by triggers.
///
/// The choice of searchable properties belongs to this store, like that of indexes.
extension Session {
  /// Makes properties of a type searchable.
  func addSearch(on wishes: [SearchWish], of type: EntityType) throws {
    try connection.execute(Schema.searchWishes)
    let present = try searchedKeys(of: type)
    var hasChanged = false
    for wish in wishes {
      let former = present[wish.key]
      let tokenizer = wish.tokenizer ?? former ?? .words
      guard former != tokenizer else { continue }
      try noteSearch(wish.key, of: type, by: tokenizer)
      hasChanged = true
    }
    try remakeSearch(of: type, if: hasChanged)
  }

  /// Ends the search of properties of a type.
  func removeSearch(on keys: [PropertyKey], of type: EntityType) throws {
    let present = try searchedKeys(of: type)
    for key in keys where present[key] != nil {
      let delete = try connection.ownStatement(
        "DELETE FROM varve_search WHERE type_name = ? AND key_name = ?"
      )
      delete.reserve(type.text.utf8.count + key.text.utf8.count)
      delete.bind(1, text: type.text)
      delete.bind(2, text: key.text)
      try delete.run()
    }
    try remakeSearch(of: type, if: keys.contains { present[$0] != nil })
  }

  private func remakeSearch(of type: EntityType, if hasChanged: Bool) throws {
    guard hasChanged, let layout = catalogue.layout(type) else { return }
    try makeSearchTables(layout)
    try catalogue.noteChange()
  }

  /// Records the tokenizer of a property. The column for tokenizers is created with the first that
  /// is not the usual one.
  private func noteSearch(
    _ key: PropertyKey,
    of type: EntityType,
    by tokenizer: SearchTokenizer
  ) throws {
    let hasColumn = try namesTokenizers
    if !hasColumn, tokenizer != .words {
      try connection.execute("ALTER TABLE varve_search ADD COLUMN tokenizer")
    }
    let isNamed = hasColumn || tokenizer != .words
    let insert = try connection.ownStatement(
      isNamed
        ? "INSERT OR REPLACE INTO varve_search (type_name, key_name, tokenizer) VALUES (?, ?, ?)"
        : "INSERT OR IGNORE INTO varve_search (type_name, key_name) VALUES (?, ?)"
    )
    insert.reserve(type.text.utf8.count + key.text.utf8.count + 32)
    insert.bind(1, text: type.text)
    insert.bind(2, text: key.text)
    if isNamed { insert.bind(3, text: tokenizer.rawValue) }
    try insert.run()
  }

  /// Whether the table of searchable properties has a column for tokenizers.
  private var namesTokenizers: Bool {
    get throws {
      try connection.integer(
        "SELECT count(*) FROM pragma_table_info('varve_search') WHERE name = 'tokenizer'"
      ) == 1
    }
  }

  /// Returns whether all of the properties are searchable in the requested ways, or were requested
  /// to be.
  func hasSearch(on wishes: [SearchWish], of type: EntityType) throws -> Bool {
    let present = try searchedKeys(of: type)
    return wishes.allSatisfy { wish in
      present[wish.key].map { $0 == wish.tokenizer ?? $0 } ?? false
    }
  }

  /// Returns the searchable properties of a type, each with its tokenizer.
  func searchedKeys(of type: EntityType) throws -> [PropertyKey: SearchTokenizer] {
    guard try connection.hasTable("varve_search") else { return [:] }
    let statement = try connection.ownStatement("SELECT * FROM varve_search WHERE type_name = ?")
    statement.reserve(type.text.utf8.count)
    statement.bind(1, text: type.text)
    var keys: [PropertyKey: SearchTokenizer] = [:]
    while try statement.step() {
      let name = statement.columnCount > 2 && !statement.isNull(2) ? statement.text(2) : nil
      keys[PropertyKey(statement.text(1))] = name.flatMap(SearchTokenizer.init(rawValue:)) ?? .words
    }
    return keys
  }

  /// Returns the tables of words of a type: those of the searchable properties that any of its
  /// entities has had. Those of a past state also have properties that only entities of other types
  /// have now.
  func wordTables(
    of layout: TableLayout,
    _ scope: WordTable.Scope = .present
  ) throws -> [WordTable] {
    let keys = try searchedKeys(of: layout.type)
    let columns = keys.keys.compactMap { key in
      catalogue.keyNumbers[key].flatMap { number in
        scope != .present || layout.column(key) != nil
          ? WordTable.Column(key, number, in: layout) : nil
      }
    }.sorted { $0.keyNumber < $1.keyNumber }
    return SearchTokenizer.allCases.compactMap { tokenizer in
      let columns = columns.filter { keys[$0.key] == tokenizer }
      guard !columns.isEmpty else { return nil }
      return WordTable(layout: layout, tokenizer: tokenizer, columns: columns, scope: scope)
    }
  }

  /// Creates the tables of words again, from all texts.
  func makeSearchTables(_ layout: TableLayout) throws {
    try dropSearchTables(layout.typeNumber)
    for table in try wordTables(of: layout) { try make(table) }
  }

  /// Creates a table of words from its texts.
  func make(_ table: WordTable) throws {
    for object in table.objects {
      try connection.execute(object.sql)
      guard object.name == table.name else { continue }
      let name = table.qualifiedName
      try connection.execute("INSERT INTO \(name) (\(table.name)) VALUES ('rebuild')")
    }
  }

  /// Returns the types whose tables of words an earlier version of Varve made. They lack texts in
  /// the overflow column.
  func layoutsWithOlderSearch() throws -> [TableLayout] {
    guard try connection.hasTable("varve_search") else { return [] }
    return try catalogue.layouts.values.filter { layout in
      try wordTables(of: layout).contains { table in
        try connection.definition(of: table.view)?.contains("varve_more(") != true
      }
    }
  }

  /// Returns what is created to search a type's texts, in order and with the SQL that SQLite keeps.
  /// Empty if no property is searchable.
  func searchObjects(of layout: TableLayout) throws -> [(name: String, sql: String)] {
    try wordTables(of: layout).flatMap(\.objects)
  }

  /// Drops the tables of words of a type.
  func dropSearchTables(_ typeNumber: Int64) throws {
    for tokenizer in SearchTokenizer.allCases {
      let end = WordTable.end(typeNumber, tokenizer)
      let words = "varve_search_\(end)"
      guard try connection.hasTable(words) || connection.hasView("varve_searched_\(end)")
      else { continue }
      finalizeStatements()
      try connection.execute(
        """
        DROP TRIGGER IF EXISTS \(words)_insert;
        DROP TRIGGER IF EXISTS \(words)_delete;
        DROP TRIGGER IF EXISTS \(words)_update;
        DROP TABLE IF EXISTS \(words);
        DROP VIEW IF EXISTS varve_searched_\(end);
        """
      )
    }
  }
}

extension SQLiteBackend {
  /// Makes tables of words anew that an earlier version of Varve made.
  func remakeOlderSearch(_ session: Session) async throws {
    guard try !session.layoutsWithOlderSearch().isEmpty else { return }
    try await locked(patienceMilliseconds: Self.ownPatienceMilliseconds, turn: nil) { session in
      // Another process may have made them meanwhile.
      for layout in try session.layoutsWithOlderSearch() { try session.makeSearchTables(layout) }
      try session.catalogue.noteChange()
    }
  }
}
