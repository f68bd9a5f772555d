import SQLiteLibrary
import VarveCore

/// The tables of types under the names that SQL of callers uses.
struct CallerTables {
  /// The version of the catalogue for which the names were given.
  let version: Int64
  let names: SQLNames<EntityType>
  /// The stored names that no type has in SQL of callers.
  private let storedNames: [FoldedName: String]

  init(_ catalogue: CatalogueTables) {
    version = catalogue.version
    let names = SQLNames(types: catalogue.typeNumbers.keys)
    self.names = names
    storedNames = Dictionary(
      catalogue.layouts.values.compactMap { layout in
        let name = FoldedName(layout.table)
        return names.text(of: name) == nil ? (name, layout.table) : nil
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the types that SQL names.
  func types(among words: SQLWords) -> [EntityType] {
    words.all.compactMap(names.text(of:)).sorted()
  }

  /// Returns the stored names among the words, behind which SQL would find a type that it does not
  /// name.
  func hiddenNames(among words: SQLWords) -> [String] {
    words.all.compactMap { storedNames[$0] }.sorted()
  }

  /// The schema in which SQLite finds nothing, so that a hidden name is no table. Only the use of
  /// the name as a table fails: an alias may have it.
  static let nowhere = "varve_nowhere"

  /// Returns rows that cannot be read.
  static func noRows(_ name: String) -> String {
    "SELECT * FROM \(nowhere).\(name.quotedIdentifier)"
  }
}

extension Session {
  /// The names of types in SQL of callers.
  var callerTables: CallerTables {
    if let known = plans.callerTables, known.version == catalogue.version { return known }
    let fresh = CallerTables(catalogue)
    plans.callerTables = fresh
    return fresh
  }

  /// Creates views of the types that SQL of a caller names, with their real names. The tables
  /// behind them are not seen.
  func showViews(for sql: SQLText, _ words: SQLWords, _ past: PastTables?) throws {
    dropViews()
    let tables = callerTables
    for type in tables.types(among: words) {
      guard let name = tables.names[type], let layout = catalogue.layout(type) else { continue }
      let former = past?.layouts[layout.typeNumber]
      let source =
        former.map(PastTables.source) ?? "main.\(layout.table.quotedIdentifier)"
      let columns = CallerColumns(former ?? layout)
      let bounds = DateBounds(sql, of: name).condition(on: columns.columns)
      let rows = columns.shownRows(of: source, for: words)
      try createView(name, rows + (bounds.map { " WHERE \($0)" } ?? ""))
    }
    for name in tables.hiddenNames(among: words) {
      try createView(name, CallerTables.noRows(name))
    }
  }

  /// The names of the tables and views that SQL of a server's callers may read, in lower case: the
  /// views, and the tables of types behind them, which the inspector reads.
  var shownTables: Set<String> {
    Set(
      catalogue.layouts.values.map { $0.table.lowercased() } + callerViews.map { $0.lowercased() }
    )
  }

  private func createView(_ name: String, _ rows: String) throws {
    try connection.execute("CREATE TEMP VIEW \(name.quotedIdentifier) AS \(rows)")
    callerViews.append(name)
  }

  /// Drops the views.
  func dropViews() {
    for name in callerViews {
      try? connection.execute("DROP VIEW temp.\(name.quotedIdentifier)")
    }
    callerViews = []
  }
}

extension SessionReader {
  /// Returns the tables that SQL in a query names, as what stands before the query: the rows of the
  /// state with the names of types and keys. A table of the present that has these names as it is
  /// stored needs nothing.
  func namedTables(in query: Query) -> String {
    guard query.hasRawSQL else { return "" }
    let (words, tables) = (query.sqlWords, session.callerTables)
    var parts = tables.hiddenNames(among: words).map { name in
      "\(name.quotedIdentifier) AS (\(CallerTables.noRows(name)))"
    }
    for type in tables.types(among: words) {
      guard let name = tables.names[type], let layout = layout(of: type) else { continue }
      let columns = CallerColumns(layout)
      let isPatched = isPatched(layout)
      guard isPatched || !layout.table.isSame(as: name) || !columns.areStored else { continue }
      let source =
        isPatched ? PastTables.source(layout) : "main.\(layout.table.quotedIdentifier)"
      parts.append(
        "\(name.quotedIdentifier) AS \(Self.inlined)(\(columns.storedRows(of: source, for: words)))"
      )
    }
    return parts.isEmpty ? "" : "WITH " + parts.joined(separator: ", ") + " "
  }

  /// Returns whether the stored names of a type and of its keys are those in SQL of callers.
  func isNamedAsStored(_ type: EntityType) -> Bool {
    guard let layout = layout(of: type), let name = session.callerTables.names[type] else {
      return true
    }
    return layout.table.isSame(as: name) && CallerColumns(layout).areStored
  }

  /// What keeps SQLite from copying the rows of a table that SQL names twice, without its indexes.
  private static let inlined =
    sqlite3_libversion_number() >= 3_035_000 ? "NOT MATERIALIZED " : ""
}
