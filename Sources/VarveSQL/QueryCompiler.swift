package import VarveCore

/// Turns queries into SQL over one table.
///
/// The text uses a few functions the backend defines: `varve_more(more, key, rank)` (a value of the
/// overflow column if it has that rank), `varve_has_more(more, key)`, `varve_sort(column, kind,
/// more, key)` (the value's sort key), `varve_text(id)` (an identifier as text),
/// `varve_prefix(text, prefix)` and `varve_stamp(block)` (a commit's place in the order of commits).
package struct QueryCompiler {
  package let layout: TableLayout
  /// What to select from: the table, or what stands for it in a past state.
  package let source: String

  /// Creation order, where the table's own is not it.
  private let creationOrderOverride: String?

  package init(_ layout: TableLayout, source: String? = nil, creationOrder: String? = nil) {
    self.layout = layout
    self.source = source ?? layout.table.quotedIdentifier
    creationOrderOverride = creationOrder
  }

  /// `SELECT` of rows in the query's order.
  package func select(_ columns: [String], _ query: Query) throws -> SQLFragment {
    try query.condition.validateDepth()
    var sql =
      SQLFragment("SELECT \(columns.joined(separator: ", ")) FROM \(source) AS t")
      + condition(query.condition)
    sql = sql + SQLFragment(" ORDER BY ") + order(query.ordering)
    return sql + window(query)
  }

  /// `SELECT count(*)` of what the query fetches.
  package func count(_ query: Query) throws -> SQLFragment {
    try query.condition.validateDepth()
    let isWindowed = query.limit != nil || query.offset > 0
    guard isWindowed else {
      return SQLFragment("SELECT count(*) FROM \(source) AS t") + condition(query.condition)
    }
    let inner = SQLFragment("SELECT 1 FROM \(source) AS t") + condition(query.condition)
    return SQLFragment("SELECT count(*) FROM (") + inner + window(query) + SQLFragment(")")
  }

  private func window(_ query: Query) -> SQLFragment {
    guard query.limit != nil || query.offset > 0 else { return SQLFragment("") }
    return SQLFragment(
      " LIMIT ? OFFSET ?",
      [.integer(Int64(query.limit ?? -1)), .integer(Int64(query.offset))]
    )
  }

  private func condition(_ condition: Condition) -> SQLFragment {
    condition == .always ? SQLFragment("") : SQLFragment(" WHERE ") + compile(condition)
  }

  private func order(_ ordering: [Query.Ordering]) -> SQLFragment {
    let criteria = ordering.map { criterion in
      SQLFragment(sortExpression(criterion.field) + (criterion.isDescending ? " DESC" : ""))
    }
    return .joined(criteria + [SQLFragment(creationOrder)], by: ", ")
  }

  /// R5: by datestamp, commit and ordinal; by row number where that is the same.
  private var creationOrder: String {
    if let creationOrderOverride { return creationOrderOverride }
    guard !layout.isInOrder else { return "t.row" }
    return """
      t.datestamp, (SELECT varve_stamp(i.born) FROM varve_identity i WHERE i.id = t.id), t.ordinal
      """
  }

  private func sortExpression(_ field: Field) -> String {
    switch field {
    case .identifier: return "varve_text(t.id)"
    case .datestamp: return "(t.datestamp >> 16)"
    case .modified: return "(coalesce(t.modified, t.datestamp) >> 16)"
    case .property(let key):
      guard let column = layout.column(key) else { return "NULL" }
      let name = column.column.map { "t." + $0.quotedIdentifier } ?? "NULL"
      if column.isSpilled || column.column == nil {
        return "varve_sort(\(name), \(column.kind.rawValue), t.more, \(column.keyNumber))"
      }
      return column.kind == .reference ? "varve_text(\(name))" : name
    }
  }
}
