import VarveCore

/// Aggregates of a query's rows.
extension QueryCompiler {
  /// Returns a `SELECT` of aggregations by group, or nil if the columns do not hold all values.
  ///
  /// - Parameter withDoubles: whether doubles count, too, in the aggregations whose results show
  ///   that.
  func aggregate(
    by keys: [Field],
    _ aggregations: [Aggregation],
    withDoubles: Bool
  ) throws -> SQLFragment? {
    try query.condition.validateDepth()
    guard !isOrderedByRepeated else { return nil }
    var inner: [String] = []
    var outer: [String] = []
    var groups: [String] = []
    for key in keys {
      guard let column = try plainColumn(key) else { return nil }
      groups.append("v\(inner.count)")
      outer.append("v\(inner.count)")
      inner.append(column.sql)
    }
    for aggregation in aggregations {
      guard let field = aggregation.field else {
        outer.append("count(*)")
        continue
      }
      guard let column = try plainColumn(field), column.allows(aggregation.function) else {
        return nil
      }
      outer.append(call(aggregation.function, of: "v\(inner.count)", column.kind))
      let isNumeric = column.kind == .int || column.kind == .double
      inner.append(
        withDoubles && isNumeric && aggregation.isTellingOfDoubles
          ? column.sql : column.sql(of: aggregation.kind, integers: aggregation.integers)
      )
    }
    if inner.isEmpty { inner = ["1"] }
    let distinct = query.isDistinct ? "DISTINCT \(main.alias).row, " : ""
    let isWindowed = query.limit != nil || query.offset > 0
    let order =
      isWindowed ? SQLFragment(" ORDER BY ") + (try self.order()) + window : SQLFragment("")
    let grouping =
      groups.isEmpty
      ? ""
      : " GROUP BY \(groups.joined(separator: ", "))"
        + " ORDER BY \(try zip(groups, keys).map(groupOrder).joined(separator: ", "))"
    let list = inner.enumerated().map { "\($1) AS v\($0)" }.joined(separator: ", ")
    return SQLFragment("SELECT \(outer.joined(separator: ", ")) FROM (SELECT \(distinct)\(list)")
      + (try rows()) + order + SQLFragment(")\(grouping)")
  }

  /// Returns the SQL of a function over values of a kind.
  private func call(
    _ function: Aggregation.Function,
    of values: String,
    _ kind: Value.Kind
  ) -> String {
    switch function {
    case .countDistinct: "count(DISTINCT \(values))"
    // SQLite's own mean adds floating-point numbers, which loses the last digits of large integers.
    case .average where kind == .int: "CAST(sum(\(values)) AS REAL) / count(\(values))"
    default: "\(function.rawValue)(\(values))"
    }
  }

  private func groupOrder(_ name: String, _ key: Field) throws -> String {
    try plainColumn(key)?.kind == .reference ? "varve_text(\(name))" : name
  }

  /// Returns the kind of the values in a field's column, or nil if the column does not hold all of
  /// them.
  func plainKind(_ field: Field) throws -> Value.Kind? { try plainColumn(field)?.kind }

  private func plainColumn(_ field: Field) throws -> PlainColumn? {
    let source = try source(field)
    switch field.inner {
    case .property(let key):
      guard let column = source.layout.column(key), source.isPlain(column),
        let name = column.column
      else { return nil }
      return PlainColumn(kind: column.kind, sql: "\(source.alias).\(name.quotedIdentifier)")
    case .folded(.property(let key)):
      guard let column = source.layout.column(key), source.isPlain(column), let name = column.column
      else { return nil }
      let sql = "\(source.alias).\(name.quotedIdentifier)"
      guard column.kind == .string else { return PlainColumn(kind: column.kind, sql: sql) }
      return PlainColumn(kind: column.kind, sql: "varve_fold(\(sql))")
    default: return nil
    }
  }
}
