import VarveCore

/// Turns queries into the SQL a backend runs.
///
/// The SQL uses functions that the backend defines: `varve_more(more, key, rank)` (a value of the
/// overflow column if it has that rank), `varve_has_more(more, key)`,
/// `varve_sort(column, kind, more, key)` (the value's sort key), `varve_value` (same arguments: the
/// encoded value), `varve_join` (same arguments: bytes that are equal if a join matches),
/// `varve_decimal` (same arguments: bytes that sort in the order of decimal numbers),
/// `varve_fold(text)` (a text with its case folded), `varve_folded(value)` (an encoded value,
/// folded if it is a text), `varve_at(value, path)` (the encoded value inside another),
/// `varve_ranked(value, rank)` (an encoded value if it has that rank), `varve_order(value, value,
/// texts)` (the order of two encoded values; with references as texts if the last argument is 1,
/// also folded if it is 2), `varve_aggregate(value, aggregation)` (an aggregate of encoded values),
/// `varve_elements(id, keys)` (the identifiers in the first to-many property of several, as JSON),
/// `varve_id(base64)` (an identifier as it is stored), `varve_includes(value, element,
/// interpretation)` (whether an encoded array has an element), `varve_comparable(more, key)`
/// (whether there is a comparable value), `varve_bound(value)` (the value, which SQLite takes for no
/// constant), `varve_text(id)` (an identifier as text),
/// `varve_prefix(text, prefix)` and `varve_stamp(block)` (a commit's place in the order of
/// commits).
struct QueryCompiler {
  let query: Query
  var main: TableSource
  /// The tables of the joined types.
  var joined: [EntityType: TableSource]
  /// The number of queries around this one.
  let depth: Int
  /// Whether the query, or one around it, has so many conditions that their values are hidden from
  /// SQLite's search for equal constants.
  var hidesValues: Bool
  /// Returns the compiler of a query within this one, or nil if no entity has had its type.
  let subquery: (Query, Int) throws -> QueryCompiler?
  /// Returns the condition that finds the rows of a full-text search.
  private let search: (String, [Field]) throws -> SQLFragment
  /// Returns an expression for the relevance of a full-text search to a row.
  let relevance: (String, [Field]) throws -> String
  /// Whether joins by identifier look rows up in the identity table.
  let usesIdentities: Bool

  /// Creates a compiler for a query.
  ///
  /// - Parameters:
  ///   - query: the query, already validated.
  ///   - main: the table of its type.
  ///   - joined: the tables of the types it joins.
  ///   - usesIdentities: whether the query reads the present state, which the identity table
  ///     describes.
  ///   - depth: the number of queries around this one.
  ///   - subquery: returns the compiler of a query within this one, by its depth.
  ///   - search: returns the condition on rows for a full-text search.
  ///   - relevance: returns an expression for the relevance of a full-text search to a row.
  init(
    _ query: Query,
    main: TableSource,
    joined: [EntityType: TableSource] = [:],
    usesIdentities: Bool = true,
    depth: Int = 0,
    subquery: @escaping (Query, Int) throws -> QueryCompiler?,
    search: @escaping (String, [Field]) throws -> SQLFragment,
    relevance: @escaping (String, [Field]) throws -> String
  ) {
    self.query = query
    self.main = main
    self.joined = joined
    self.usesIdentities = usesIdentities
    self.depth = depth
    hidesValues = query.condition.isLong
    self.subquery = subquery
    self.search = search
    self.relevance = relevance
  }

  /// Returns the table that a field belongs to.
  func source(_ field: Field) throws -> TableSource {
    guard let type = field.joinedType else { return main }
    if let source = joined[type] { return source }
    guard type == query.type else {
      throw VarveError(
        .invalidQuery,
        "the query does not join \"\(type)\"",
        at: "type \(type)",
        remedy: "Join the type before you use its fields."
      )
    }
    return main
  }

  /// `SELECT` of rows in the query's order. Columns are named with the main table's alias.
  func select(_ columns: [String]) throws -> SQLFragment {
    try query.condition.validateDepth()
    if isOrderedByRepeated { return try selectFirst(columns) }
    let columns = columns + mergedColumns
    let list = SQLFragment("SELECT \(columns.joined(separator: ", "))")
    let end = SQLFragment(" ORDER BY ") + (try order()) + window
    guard isOfMainRowsAlone else {
      let distinct = SQLFragment("SELECT DISTINCT \(columns.joined(separator: ", "))")
      return (query.isDistinct ? distinct : list) + (try rows()) + end
    }
    // Row numbers are selected first because they take fewer bytes to sort than rows.
    return list
      + SQLFragment(" FROM \(main.from) WHERE \(main.alias).row IN (SELECT \(main.alias).row")
      + (try rows()) + SQLFragment(")") + end
  }

  /// `SELECT` of the encoded values of fields for each row, in the query's order.
  func select(values fields: [Field]) throws -> SQLFragment {
    try query.condition.validateDepth()
    let values = try fields.map { try source($0).valueExpression($0) }
    if query.isDistinct, !query.joins.isEmpty {
      let names = values.indices.map { "varve_first.varve_v\($0)" }
      return try selectFirst(names, values)
    }
    let columns = values + mergedColumns
    return SQLFragment("SELECT \(columns.joined(separator: ", "))") + (try rows())
      + SQLFragment(" ORDER BY ") + (try order()) + window
  }

  /// The order of rows, if the table is a union: SQLite merges the parts of a union, without
  /// sorting them, only by a column that is selected.
  private var mergedColumns: [String] {
    guard main.isMergedByRow, query.ordering.isEmpty, !query.isDistinct, query.joins.isEmpty else {
      return []
    }
    return [main.creationOrder]
  }

  /// Whether the query sorts by joined rows and fetches each main row once, by the first of its
  /// joined rows.
  var isOrderedByRepeated: Bool {
    query.isDistinct && !query.ordering.allSatisfy { query.isOwn($0.field) }
  }

  /// `SELECT` that returns each main row once, at the place of the first of its joined rows.
  private func selectFirst(_ columns: [String], _ values: [String] = []) throws -> SQLFragment {
    var inner = values.enumerated().map { "\($1) AS varve_v\($0)" }
    inner += try query.ordering.enumerated().map { index, criterion in
      let field = criterion.field.canonical
      let key = try source(field).sortKeyExpression(field)
      return "coalesce(\(key), x'') AS varve_k\(index)"
    }
    let ranks =
      SQLFragment(
        "\(main.alias).row AS varve_row, row_number() OVER (ORDER BY "
      ) + (try order()) + SQLFragment(") AS varve_rank")
    let list = inner.map { SQLFragment($0) }
    let all: SQLFragment = .joined([ranks] + list, by: ", ")
    let start = SQLFragment(
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(main.from) JOIN (SELECT *, \
      min(varve_rank) FROM (SELECT
      """
    )
    var sql = start + SQLFragment(" ") + all + (try rows())
    sql =
      sql
      + SQLFragment(
        ") GROUP BY varve_row) AS varve_first ON varve_first.varve_row = \(main.alias).row"
      )
    if let mark = query.mark {
      sql = sql + SQLFragment(" WHERE ") + .balanced(beyond(mark), " OR ", empty: "0")
    }
    return sql + SQLFragment(" ORDER BY varve_first.varve_rank") + window
  }

  /// Returns one condition per criterion; a first row comes after the mark if any of them holds.
  private func beyond(_ mark: [Value?]) -> [SQLFragment] {
    var ties: [SQLFragment] = []
    return zip(query.ordering, mark).enumerated().map { index, pair in
      let (criterion, value) = pair
      let key = [SQLValue.blob(criterion.field.orderBytes(of: value))]
      let comparison = criterion.isDescending ? "<" : ">"
      let after = SQLFragment("varve_first.varve_k\(index) \(comparison) ?", key)
      defer { ties.append(SQLFragment("varve_first.varve_k\(index) = ?", key)) }
      return SQLFragment("(") + .joined(ties + [after], by: " AND ") + SQLFragment(")")
    }
  }

  /// Whether joins only decide which rows of the main table are fetched, each of them once.
  private var isOfMainRowsAlone: Bool {
    guard !query.joins.isEmpty, query.ordering.allSatisfy({ query.isOwn($0.field) }) else {
      return false
    }
    guard !query.isDistinct else { return true }
    return !query.mayRepeat && query.condition.namesJoined
  }

  /// `SELECT count(*)` of the rows that the query fetches.
  func count() throws -> SQLFragment {
    try query.condition.validateDepth()
    let isWindowed = query.limit != nil || query.offset > 0
    if isOrderedByRepeated, query.mark != nil {
      return SQLFragment("SELECT count(*) FROM (") + (try selectFirst(["1"])) + SQLFragment(")")
    }
    guard isWindowed || query.isDistinct else {
      return SQLFragment("SELECT count(*)") + (try rows())
    }
    let inner = query.isDistinct ? "SELECT DISTINCT \(main.alias).row" : "SELECT 1"
    return SQLFragment("SELECT count(*) FROM (\(inner)") + (try rows()) + window + SQLFragment(")")
  }

  /// `UPDATE` of the query's rows but some, or nil if a condition on single rows does not select them.
  func update(set assignments: SQLFragment, but others: [Int64]) throws -> SQLFragment? {
    let sql = try change(SQLFragment("UPDATE \(main.from) SET ") + assignments)
    guard let sql, !others.isEmpty else { return sql }
    let start = query.condition == .always ? " WHERE" : " AND"
    let list = others.map { "\($0)" }.joined(separator: ", ")
    return sql + SQLFragment("\(start) \(main.alias).row NOT IN (\(list))")
  }

  /// `DELETE` of the query's rows, or nil if a condition on single rows does not select them.
  func delete() throws -> SQLFragment? { try change(SQLFragment("DELETE FROM \(main.from)")) }

  private func change(_ sql: SQLFragment) throws -> SQLFragment? {
    guard query.joins.isEmpty, query.limit == nil, query.offset == 0, query.mark == nil,
      !query.hasRawSQL
    else { return nil }
    guard query.condition != .always else { return sql }
    return sql + SQLFragment(" WHERE (") + (try compile(query.condition)) + SQLFragment(")")
  }

  /// ` FROM … WHERE …`
  func rows() throws -> SQLFragment {
    var sql = SQLFragment(" FROM \(main.from)")
    for (index, join) in query.joins.enumerated() { sql = sql + (try compile(join, index)) }
    var condition = query.condition
    // The first of a main row's joined rows is known only after all of them have been read.
    if let mark = query.mark, !isOrderedByRepeated {
      let beyond = Condition.comes(after: mark, in: query.ordering)
      condition = condition == .always ? beyond : .and([condition, beyond])
    }
    guard condition != .always else { return sql }
    return sql + SQLFragment(" WHERE ") + (try compile(condition))
  }

  var window: SQLFragment {
    guard query.limit != nil || query.offset > 0 else { return SQLFragment("") }
    return SQLFragment(
      " LIMIT ? OFFSET ?",
      [.integer(Int64(query.limit ?? -1)), .integer(Int64(query.offset))]
    )
  }

  func order() throws -> SQLFragment {
    let criteria = try query.ordering.map { criterion in
      let field = criterion.field.canonical
      let expression = try source(field).sortExpression(field)
      return SQLFragment(expression + (criterion.isDescending ? " DESC" : ""))
    }
    return .joined(criteria + [SQLFragment(main.creationOrder)], by: ", ")
  }

  /// Returns the condition for the rows that a full-text search finds.
  func compileSearch(_ text: String, _ fields: [Field]) throws -> SQLFragment {
    try search(text, fields)
  }

  /// The name in SQL of the query's own type if it is also joined.
  static let ownTypeJoined = "varve_joined"
}

extension Condition {
  /// Returns the condition that a row comes after the row whose criteria have the values of `mark`.
  fileprivate static func comes(
    after mark: [Value?],
    in ordering: [Query.Ordering]
  ) -> Condition {
    var ties: [Condition] = []
    var after: [Condition] = []
    for (criterion, value) in zip(ordering, mark) {
      let comparison: Comparison = criterion.isDescending ? .less : .greater
      after.append(.and(ties + [.sorts(criterion.field, comparison, value)]))
      ties.append(.sorts(criterion.field, .equal, value))
    }
    return .or(after)
  }

  /// Whether the condition uses a field of a joined type.
  fileprivate var namesJoined: Bool { fields.contains(where: \.isJoined) }
}

extension Field {
  /// Whether the field belongs to a joined type.
  fileprivate var isJoined: Bool { joinedType != nil }

  /// The field without the joined type it belongs to.
  var inner: Field {
    switch self {
    case .joined(_, let inner): inner.inner
    case .decimal(let inner): .decimal(inner.inner)
    case .folded(let inner): .folded(inner.inner)
    case .inside(let inner, let path): .inside(inner.inner, path)
    case .ofRelated(let inner, let related): .ofRelated(inner.inner, related)
    default: self
    }
  }
}
