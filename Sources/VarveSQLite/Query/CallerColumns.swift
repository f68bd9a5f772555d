import VarveCore

/// The columns of a type's rows as SQL of callers names them.
struct CallerColumns {
  /// A key with its name; without storage if no row ever had the key.
  struct Column {
    let key: PropertyKey
    let name: String
    let stored: ColumnLayout?
  }

  /// The columns, in byte order of their keys.
  let columns: [Column]
  private let layout: TableLayout

  /// SQLite permits 2,000 columns in its usual configuration.
  private static let mostColumns = 1_990

  /// - Parameter known: further keys, whose columns are empty.
  init(_ layout: TableLayout, knowing known: Set<PropertyKey> = []) {
    self.layout = layout
    let names = SQLNames(keys: layout.columns.map(\.key) + known)
    columns = names.names.sorted { $0.key < $1.key }.map { key, name in
      Column(key: key, name: name, stored: layout.column(key))
    }
  }

  /// Whether the columns have these names as they are stored.
  var areStored: Bool { columns.allSatisfy { $0.stored?.column?.isSame(as: $0.name) ?? false } }

  /// Returns the layout with these names in place of the stored ones, and the columns to select for
  /// it.
  ///
  /// A key with the name of a column that every table has gets an internal one. SQL of the caller
  /// is evaluated over ``TableLayout/callerRows(of:)``, where it has its own.
  func renamed(reserving further: [String]) -> (layout: TableLayout, select: String) {
    let fixed = PhysicalNames.fixedColumns + further
    let reserved = Set(fixed.map { FoldedName($0) })
    var (renamed, select) = ([ColumnLayout](), fixed)
    for column in columns {
      let isFree = !reserved.contains(FoldedName(column.name))
      var stored =
        column.stored
        ?? ColumnLayout(
          keyNumber: -1,
          key: column.key,
          column: "",
          kind: .string,
          semanticType: ""
        )
      let name = isFree ? column.name : "varve_c\(renamed.count)"
      if let physical = stored.column {
        let value = column.stored == nil ? "NULL" : physical.quotedIdentifier
        select.append("\(value) AS \(name.quotedIdentifier)")
        stored.column = name
      }
      stored.callerName = column.name
      renamed.append(stored)
    }
    let layout = TableLayout(
      typeNumber: layout.typeNumber,
      type: layout.type,
      table: layout.table,
      isInOrder: layout.isInOrder,
      columns: renamed
    )
    return (layout, select.joined(separator: ", "))
  }

  /// Returns the rows with their values as they are stored, beside the fixed columns whose names no
  /// key has.
  ///
  /// - Parameter words: the words of the SQL. Of a type with very many keys, it sees those that it
  ///   names.
  func storedRows(of source: String, for words: SQLWords) -> String {
    let names = Set(columns.map { FoldedName($0.name) })
    let fixed = PhysicalNames.fixedColumns.filter { !names.contains(FoldedName($0)) }
    let list = columns(for: words).map { column in
      "\(column.storedValue) AS \(column.name.quotedIdentifier)"
    }
    return "SELECT \((fixed + list).joined(separator: ", ")) FROM \(source)"
  }

  /// Returns as many columns as SQLite permits, beginning with those that SQL names.
  private func columns(for words: SQLWords) -> ArraySlice<Column> {
    guard columns.count > Self.mostColumns else { return columns[...] }
    let named = columns.filter { words.contains($0.name) }
    let others = columns.filter { !words.contains($0.name) }
    return (named + others).prefix(Self.mostColumns)
  }

  /// Returns the rows with their values as people read them: dates are texts, and values of any
  /// kind are in the columns of their keys.
  ///
  /// - Parameter words: the words of the SQL. Of a type with very many keys, it sees those that it
  ///   names.
  func shownRows(of source: String, for words: SQLWords) -> String {
    let list = columns(for: words).map { "\($0.shownValue) AS \($0.name.quotedIdentifier)" }
    let dates = zip(["datestamp", "coalesce(modified, datestamp)"], SQLNames<PropertyKey>.ownDates)
      .map {
        let seconds = "((\($0) >> 16) / 1000.0 - 978307200.0)"
        return "varve_date_text(\(seconds)) AS \($1.quotedIdentifier)"
      }
    return
      "SELECT \(([SQLNames<PropertyKey>.identifier] + list + dates).joined(separator: ", ")) FROM \(source)"
  }
}

extension CallerColumns.Column {
  /// The value in the column of the key; the overflow column has what other rows have.
  fileprivate var storedValue: String {
    guard let stored else { return "NULL" }
    return stored.column?.quotedIdentifier ?? "varve_any(more, \(stored.keyNumber))"
  }

  fileprivate var shownValue: String {
    guard let stored else { return "NULL" }
    let overflow = "varve_shown(more, \(stored.keyNumber))"
    guard let name = stored.column?.quotedIdentifier else { return overflow }
    let value = stored.kind == .date ? "varve_date_text(\(name))" : name
    return stored.isSpilled ? "coalesce(\(value), \(overflow))" : value
  }
}

extension TableLayout {
  /// Returns the rows of a source with this layout as SQL of the caller sees them: values of any
  /// kind, as they are stored, in the columns of the keys that it names.
  func callerRows(of source: String, for words: SQLWords) -> String {
    let names = Set(columns.compactMap(\.nameForCallers).map { FoldedName($0) })
    let fixed = PhysicalNames.fixedColumns.filter { !names.contains(FoldedName($0)) }
    let list = columns.compactMap { column -> String? in
      guard let caller = column.nameForCallers, words.contains(caller) else { return nil }
      let overflow = "varve_any(more, \(column.keyNumber))"
      guard let name = column.column?.quotedIdentifier else {
        return "\(overflow) AS \(caller.quotedIdentifier)"
      }
      let value = column.isSpilled ? "coalesce(\(name), \(overflow))" : name
      return "\(value) AS \(caller.quotedIdentifier)"
    }
    return "SELECT \((fixed + list).joined(separator: ", ")) FROM \(source)"
  }

  /// Whether an SQL expression names a key that has no column, values in the overflow column, or
  /// the name of a column that every table has.
  func hasIndirectColumn(among words: SQLWords) -> Bool {
    columns.contains { column in
      guard let name = column.nameForCallers, words.contains(name) else { return false }
      return column.isSpilled || !(column.column?.isSame(as: name) ?? false)
    }
  }
}

extension ColumnLayout {
  /// The name of the key in SQL of callers.
  fileprivate var nameForCallers: String? { callerName ?? column }
}
