import VarveCore

/// A table of the words in searchable properties of a type, which one tokenizer finds.
///
/// It uses SQLite's FTS5 (https://www.sqlite.org/fts5.html). The table has a column `k<key>` for
/// each property and reads the texts from a view. A text is in the property's column, or in the
/// overflow column if the property's column has values of another kind or type.
struct WordTable {
  /// The rows whose words a table has.
  enum Scope {
    /// Those of the present.
    case present
    /// Those that a past state has in place of present ones.
    case patch
    /// Those of a past state. The table is not maintained.
    case past
  }

  /// A searchable property.
  struct Column {
    let key: PropertyKey
    let keyNumber: Int64
    /// The quoted name of the column that has its texts; nil if only the overflow column may have
    /// some.
    let stored: String?

    init(_ key: PropertyKey, _ keyNumber: Int64, in layout: TableLayout) {
      (self.key, self.keyNumber) = (key, keyNumber)
      let column = layout.column(key)
      stored = column?.kind == .string ? column?.column?.quotedIdentifier : nil
    }

    /// The name of the column in the table of words.
    var name: String { "k\(keyNumber)" }

    /// Returns an expression for the text.
    ///
    /// - Parameter row: what stands before the names of columns, such as `new.`.
    func text(_ row: String = "") -> String {
      let overflow = "varve_more(\(row)more, \(keyNumber), \(Value.string("").sortRank))"
      return stored.map { "coalesce(\(row)\($0), \(overflow))" } ?? overflow
    }
  }

  let layout: TableLayout
  let tokenizer: SearchTokenizer
  /// The properties, in order of their keys' numbers.
  let columns: [Column]
  let scope: Scope

  /// The name of the table.
  var name: String {
    let end = Self.end(layout.typeNumber, tokenizer)
    return switch scope {
    case .present: "varve_search_\(end)"
    case .patch: "varve_words_patch_\(end)"
    case .past: "varve_words_past_\(end)"
    }
  }

  /// The name of the view with the texts.
  var view: String {
    let end = Self.end(layout.typeNumber, tokenizer)
    return scope == .present ? "varve_searched_\(end)" : "\(name)_texts"
  }

  /// The name of the table with its schema.
  var qualifiedName: String { scope == .present ? "main.\(name)" : "temp.\(name)" }

  /// The name of the view with its schema.
  var qualifiedView: String { scope == .present ? "main.\(view)" : "temp.\(view)" }

  /// The name of the column of a property; nil if the table has none.
  func column(_ key: PropertyKey) -> String? { columns.first { $0.key == key }?.name }

  static func end(_ typeNumber: Int64, _ tokenizer: SearchTokenizer) -> String {
    tokenizer == .words ? "\(typeNumber)" : "\(typeNumber)_\(tokenizer.rawValue)"
  }

  /// What is created, in order and with the SQL that SQLite keeps: the view, the table of words,
  /// and the triggers.
  var objects: [(name: String, sql: String)] {
    let list = columns.map(\.name).joined(separator: ", ")
    let texts = columns.map { "\($0.text()) AS \($0.name)" }.joined(separator: ", ")
    let table = "CREATE VIRTUAL TABLE \(scope == .present ? "" : "temp.")\(name) USING fts5("
    return [
      (view, "CREATE \(temp)VIEW \(view) AS SELECT row, \(texts) FROM \(source)"),
      (
        name,
        """
        \(table)\(list), content='\(view)', content_rowid='row'\
        \(tokenizer.option.map { ", tokenize='\($0)'" } ?? ""))
        """
      ),
    ] + triggers(list)
  }

  private var temp: String { scope == .present ? "" : "TEMP " }

  private var source: String {
    switch scope {
    case .present: layout.table.quotedIdentifier
    case .patch: "temp.\(PastTables.patch(layout.typeNumber))"
    case .past: PastTables.source(layout)
    }
  }

  private func triggers(_ list: String) -> [(name: String, sql: String)] {
    guard scope != .past else { return [] }
    func texts(_ row: String) -> String {
      columns.map { $0.text(row) }.joined(separator: ", ")
    }
    let add = "INSERT INTO \(name) (rowid, \(list)) VALUES (new.row, \(texts("new.")));"
    let remove = """
      INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', old.row, \(texts("old.")));
      """
    let updated = (columns.compactMap(\.stored) + ["more"]).joined(separator: ", ")
    return [
      (
        "\(name)_insert",
        "CREATE \(temp)TRIGGER \(name)_insert AFTER INSERT ON \(source) BEGIN \(add) END"
      ),
      (
        "\(name)_delete",
        "CREATE \(temp)TRIGGER \(name)_delete AFTER DELETE ON \(source) BEGIN \(remove) END"
      ),
      (
        "\(name)_update",
        """
        CREATE \(temp)TRIGGER \(name)_update AFTER UPDATE OF \(updated) ON \(source)
        BEGIN \(remove) \(add) END
        """
      ),
    ]
  }
}

extension SearchTokenizer {
  /// The option of FTS5; nil for its default.
  var option: String? {
    switch self {
    case .words: nil
    case .accents: "unicode61 remove_diacritics 0"
    case .stems: "porter unicode61"
    case .substrings: "trigram"
    }
  }
}
