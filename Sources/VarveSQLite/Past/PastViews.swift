import VarveCore

extension Session {
  /// Hides tables of the present behind views of the past state.
  func hideTables(behind past: PastTables) throws {
    for layout in past.layouts.values {
      try hide(layout, behind: "SELECT * FROM \(PastTables.source(layout))")
    }
  }

  /// Hides tables behind views that show a value of any kind in its property's column.
  ///
  /// A column holds values of one kind; others are in the overflow column, which SQL of the caller
  /// does not read.
  func showValues(_ past: PastTables?) throws {
    showTables()
    // Tables whose rows are the same in the past state are those of the present.
    let same = catalogue.layouts.values.filter { past?.layouts[$0.typeNumber] == nil }
    for layout in same where layout.hasSpilledColumn {
      try hide(layout, behind: layout.wholeRows(of: "main.\(layout.table.quotedIdentifier)"))
    }
    for layout in past?.layouts.values ?? [:].values {
      try hide(layout, behind: layout.wholeRows(of: PastTables.source(layout)))
    }
  }

  /// Shows the tables of the present again.
  func showTables() {
    for name in pastViews { try? connection.execute("DROP VIEW temp.\(name)") }
    pastViews = []
  }

  /// The names of the tables and views that SQL of a server's callers may read, in lower case.
  var shownTables: Set<String> {
    Set(catalogue.layouts.values.map { $0.table.lowercased() })
  }

  private func hide(_ layout: TableLayout, behind rows: String) throws {
    let name = layout.table.quotedIdentifier
    try connection.execute("CREATE TEMP VIEW \(name) AS \(rows)")
    pastViews.append(name)
  }
}

extension TableLayout {
  var hasSpilledColumn: Bool {
    columns.contains { $0.column != nil && $0.isSpilled }
  }

  /// Returns a query for the columns of all rows, with the values in the overflow column.
  func wholeRows(of source: String) -> String {
    let values = columns.compactMap { column -> String? in
      guard let name = column.column?.quotedIdentifier else { return nil }
      guard column.isSpilled else { return name }
      return "coalesce(\(name), varve_any(more, \(column.keyNumber))) AS \(name)"
    }
    let list = (PhysicalNames.fixedColumns + values).joined(separator: ", ")
    return "SELECT \(list) FROM \(source)"
  }
}
