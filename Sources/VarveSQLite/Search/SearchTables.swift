import VarveCore
import VarveSQL

/// Full-text search: a table of words beside the table of a type, maintained by triggers.
///
/// It uses SQLite's FTS5 (https://www.sqlite.org/fts5.html) for the texts in columns. The choice of
/// searchable properties belongs to this store, like that of indexes. `varve_search_<type>` has a
/// column `k<key>` for each of them, and reads the texts from the view `varve_searched_<type>`.
extension Session {
  /// Makes properties of a type searchable.
  func addSearch(on keys: [PropertyKey], of type: EntityType) throws {
    try connection.execute(Schema.searchWishes)
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO varve_search (type_name, key_name) VALUES (?, ?)"
    )
    var isNew = false
    for key in keys {
      insert.reserve(type.text.utf8.count + key.text.utf8.count)
      insert.bind(1, text: type.text)
      insert.bind(2, text: key.text)
      try insert.run()
      if connection.changes > 0 { isNew = true }
    }
    guard isNew, let layout = catalogue.layout(type) else { return }
    try makeSearchTable(layout)
    try noteCatalogueChange()
  }

  /// Returns whether all of the properties are searchable or were requested to be.
  func hasSearch(on keys: [PropertyKey], of type: EntityType) throws -> Bool {
    Set(keys).isSubset(of: try searchedKeys(of: type))
  }

  /// Returns the searchable properties of a type.
  func searchedKeys(of type: EntityType) throws -> Set<PropertyKey> {
    guard try connection.hasTable("varve_search") else { return [] }
    let statement = try connection.ownStatement(
      "SELECT key_name FROM varve_search WHERE type_name = ?"
    )
    statement.bind(1, text: type.text)
    var keys: Set<PropertyKey> = []
    while try statement.step() { keys.insert(PropertyKey(statement.text(0))) }
    return keys
  }

  /// Returns the searchable columns of a type: texts, in order of their keys' numbers.
  func searchedColumns(of layout: TableLayout) throws -> [ColumnLayout] {
    let keys = try searchedKeys(of: layout.type)
    guard !keys.isEmpty else { return [] }
    return layout.columns
      .filter { keys.contains($0.key) && $0.column != nil && $0.kind == .string }
      .sorted { $0.keyNumber < $1.keyNumber }
  }

  /// Creates the table of words again, from all texts.
  func makeSearchTable(_ layout: TableLayout) throws {
    try dropSearchTable(layout.typeNumber)
    let objects = try searchObjects(of: layout)
    guard !objects.isEmpty else { return }
    let words = "varve_search_\(layout.typeNumber)"
    for object in objects {
      try connection.execute(object.sql)
      guard object.name == words else { continue }
      try connection.execute("INSERT INTO \(words) (\(words)) VALUES ('rebuild')")
    }
  }

  /// Returns what is created to search a type's texts, in order and with the SQL that SQLite keeps:
  /// the view, the table of words, and the triggers. Empty if no property is searchable.
  func searchObjects(of layout: TableLayout) throws -> [(name: String, sql: String)] {
    let columns = try searchedColumns(of: layout)
    guard !columns.isEmpty else { return [] }
    let words = "varve_search_\(layout.typeNumber)"
    let view = "varve_searched_\(layout.typeNumber)"
    let table = layout.table.quotedIdentifier
    let names = columns.map { "k\($0.keyNumber)" }
    let stored = columns.compactMap { $0.column?.quotedIdentifier }
    let list = names.joined(separator: ", ")
    let texts = zip(stored, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
    let (new, old) = (stored.map { "new.\($0)" }, stored.map { "old.\($0)" })
    let add = """
      INSERT INTO \(words) (rowid, \(list)) VALUES (new.row, \(new.joined(separator: ", ")));
      """
    let remove = """
      INSERT INTO \(words) (\(words), rowid, \(list))
      VALUES ('delete', old.row, \(old.joined(separator: ", ")));
      """
    let updated = stored.joined(separator: ", ")
    return [
      (view, "CREATE VIEW \(view) AS SELECT row, \(texts) FROM \(table)"),
      (
        words,
        """
        CREATE VIRTUAL TABLE \(words) USING fts5(\(list), content='\(view)', content_rowid='row')
        """
      ),
      (
        "\(words)_insert",
        "CREATE TRIGGER \(words)_insert AFTER INSERT ON \(table) BEGIN \(add) END"
      ),
      (
        "\(words)_delete",
        "CREATE TRIGGER \(words)_delete AFTER DELETE ON \(table) BEGIN \(remove) END"
      ),
      (
        "\(words)_update",
        """
        CREATE TRIGGER \(words)_update AFTER UPDATE OF \(updated) ON \(table)
        BEGIN \(remove) \(add) END
        """
      ),
    ]
  }

  /// Drops the table of words of a type, if there is one.
  func dropSearchTable(_ typeNumber: Int64) throws {
    let words = "varve_search_\(typeNumber)"
    guard try connection.hasTable(words) || connection.hasView("varve_searched_\(typeNumber)")
    else { return }
    finalizeStatements()
    try connection.execute(
      """
      DROP TRIGGER IF EXISTS \(words)_insert;
      DROP TRIGGER IF EXISTS \(words)_delete;
      DROP TRIGGER IF EXISTS \(words)_update;
      DROP TABLE IF EXISTS \(words);
      DROP VIEW IF EXISTS varve_searched_\(typeNumber);
      """
    )
  }
}
