import VarveCore

/// The tables of several types as one, with a column for each of their keys and the type of each
/// row.
///
/// A value of another kind than the union's column is in its row's overflow column, as it would be
/// in one table (`varve_spill(more, key, kind, semantic type, value)`).
struct TableUnion {
  let layout: TableLayout

  init(_ layouts: [TableLayout], as type: EntityType) {
    var union = TableLayout(typeNumber: 0, type: type, table: "", isInOrder: false, columns: [])
    var taken = Set(PhysicalNames.fixedColumns + ["varve_born", "varve_type"])
    for layout in layouts {
      for column in layout.columns {
        if let present = union.column(column.key) {
          let agrees = Self.agrees(present, column) && column.column != nil
          if column.isSpilled || !agrees { union.noteSpill(column.key) }
          continue
        }
        var column = column
        column.callerName = nil
        if let name = column.column {
          let isFree = taken.insert(name.lowercased()).inserted
          column.column = isFree ? name : "varve_k\(column.keyNumber)"
        }
        union.append(column)
      }
    }
    self.layout = union
  }

  private static func agrees(_ union: ColumnLayout, _ column: ColumnLayout) -> Bool {
    union.column != nil && union.rank == column.rank && union.kind == column.kind
      && union.semanticType.isSame(as: column.semanticType)
  }

  /// Returns the rows of a table as rows of the union.
  ///
  /// - Parameters:
  ///   - table: the layout of the table.
  ///   - source: the SQL to select from.
  ///   - isPatched: whether the source has a `varve_born` column itself.
  func branch(of table: TableLayout, from source: String, isPatched: Bool) -> String {
    let born =
      isPatched ? "m.varve_born" : "(SELECT i.born FROM varve_identity i WHERE i.id = m.id)"
    var more = "m.more"
    var columns: [String] = []
    for column in layout.columns {
      let alias = column.column?.quotedIdentifier
      guard let own = table.column(column.key), let name = own.column else {
        if let alias { columns.append("NULL AS \(alias)") }
        continue
      }
      if let alias, Self.agrees(column, own) {
        columns.append("m.\(name.quotedIdentifier) AS \(alias)")
      } else {
        let semanticType = own.semanticType.replacing("'", with: "''")
        more = """
          varve_spill(\(more), \(own.keyNumber), \(own.kind.rawValue), '\(semanticType)', \
          m.\(name.quotedIdentifier))
          """
        if let alias { columns.append("NULL AS \(alias)") }
      }
    }
    let fixed = [
      "m.row", "m.id", "m.datestamp", "m.modified", "m.ordinal", "\(more) AS more",
      "\(born) AS varve_born", "\(table.typeNumber) AS varve_type",
    ]
    return "SELECT \((fixed + columns).joined(separator: ", ")) FROM \(source) AS m"
  }
}
