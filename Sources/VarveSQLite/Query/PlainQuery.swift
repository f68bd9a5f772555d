import Foundation
import VarveCore

/// A query as SQL that any tool can run on the store.
///
/// It returns the query's rows if each column holds values of one kind. The SQL that Varve runs
/// itself may differ.
struct PlainQuery {
  private let query: Query
  private let layout: (EntityType) -> TableLayout?
  /// Returns whether the stored names of a type and of its keys are those in SQL of callers.
  private let isNamedAsStored: (EntityType) -> Bool
  /// The number of queries around this one, and the name of its table if there are some.
  private var depth = 0
  private var alias: String?

  /// Creates the SQL of a query.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - layout: returns the table of a type, or nil if the type has no entities.
  ///   - isNamedAsStored: returns whether the stored names of a type and of its keys are those in
  ///     SQL of callers.
  init(
    _ query: Query,
    layout: @escaping (EntityType) -> TableLayout?,
    isNamedAsStored: @escaping (EntityType) -> Bool
  ) {
    self.query = query
    self.layout = layout
    self.isNamedAsStored = isNamedAsStored
  }

  /// The SQL text and the values of its placeholders.
  var text: SQLText {
    var parts: [PlainSQL] = []
    for type in [query.type] + query.subtypes { parts.append(select(type)) }
    var sql = parts.joined(by: " UNION ALL ")
    if !query.ordering.isEmpty {
      let criteria = query.ordering.map { criterion in
        column(criterion.field, query.type) + (criterion.isDescending ? " DESC" : " ASC")
      }
      sql += PlainSQL(" ORDER BY " + criteria.joined(separator: ", "))
    }
    if let limit = query.limit { sql += PlainSQL(" LIMIT \(limit)") }
    if query.offset > 0 {
      sql += PlainSQL((query.limit == nil ? " LIMIT -1" : "") + " OFFSET \(query.offset)")
    }
    return SQLText(sql.text, sql.values)
  }

  private func select(_ type: EntityType) -> PlainSQL {
    let distinct = query.isDistinct ? "DISTINCT " : ""
    var sql = PlainSQL("SELECT \(distinct)\(list(type)) FROM \(source(type))")
    for join in query.joins { sql += compile(join, type) }
    guard query.condition != .always else { return sql }
    // The conditions are joined without nesting, as the caller wrote them.
    let parts = query.condition.conjuncts.map { compile($0, type) }
    return sql + PlainSQL(" WHERE ") + parts.joined(by: " AND ")
  }

  private func list(_ type: EntityType) -> String {
    switch query.selection {
    case .all: "\(table(type)).*"
    case .fields(let fields): fields.map { column($0, type) }.joined(separator: ",")
    case .sql(let text): text
    }
  }

  private func compile(_ join: Join, _ type: EntityType) -> PlainSQL {
    switch join {
    case .sql(let text, let values): PlainSQL(" \(text)", values)
    case .entities(let joined, let field, let other):
      PlainSQL(
        """
         INNER JOIN \(from(joined)) ON \(column(.joined(joined, field), type)) = \
        \(column(other, type))
        """
      )
    }
  }

  /// Returns the `FROM` clause of a joined table. A join to the query's own type gets another name.
  private func from(_ joined: EntityType) -> String {
    joined == query.type
      ? "\(source(joined)) AS \(QueryCompiler.ownTypeJoined)" : source(joined)
  }

  private func compile(_ condition: Condition, _ type: EntityType) -> PlainSQL {
    switch condition {
    case .always: return PlainSQL("1")
    case .compare(let field, let comparison, let value):
      return PlainSQL(
        "\(column(field, type))\(comparison.rawValue)\(mark(field))",
        [bound(value, field)]
      )
    case .compareFields(let field, let comparison, let other):
      let pair = FieldPair(field, other)
      return PlainSQL("\(column(pair.left, type))\(comparison.rawValue)\(column(pair.right, type))")
    case .includes(let field, let value):
      return PlainSQL(
        "varve_includes(\(column(field.stored, type)), ?, 0)",
        [.data(.init(value.encoded))]
      )
    case .isIn(let field, let values):
      let marks = values.map { _ in mark(field) }.joined(separator: ", ")
      return PlainSQL("\(column(field, type)) IN (\(marks))", values.map { bound($0, field) })
    case .hasPrefix(let field, let text):
      return PlainSQL(
        "\(column(field, type)) GLOB \(mark(field))",
        [.string(text.globEscaped + "*")]
      )
    case .contains(let field, let text):
      return PlainSQL("instr(\(column(field, type)), \(mark(field)))>0", [.string(text)])
    case .isMissing(let field): return PlainSQL("\(column(field, type)) IS NULL")
    case .exists(let related):
      guard let rows = relatedRows(related, type) else { return PlainSQL(Self.unknown) }
      return PlainSQL("EXISTS (SELECT 1 \(rows))")
    case .sorts(let field, let comparison, let value):
      return sorts(column(field, type), comparison, mark(field), value.map { bound($0, field) })
    case .matches(let text, let fields):
      let words = fields.map {
        PlainSQL("instr(lower(\(column($0, type))), lower(?))>0", [.string(text)])
      }
      return PlainSQL("(") + words.joined(by: " OR ") + PlainSQL(")")
    case .sql(let text, let values): return PlainSQL("(\(text))", values)
    case .not(let inner): return PlainSQL("NOT (") + compile(inner, type) + PlainSQL(")")
    case .and: return list(condition.conjuncts, " AND ", type, empty: "1")
    case .or: return list(condition.disjuncts, " OR ", type, empty: "0")
    }
  }

  private func list(
    _ conditions: [Condition],
    _ operation: String,
    _ type: EntityType,
    empty: String
  ) -> PlainSQL {
    guard !conditions.isEmpty else { return PlainSQL(empty) }
    let parts = conditions.map { compile($0, type) }
    return PlainSQL("(") + parts.joined(by: operation) + PlainSQL(")")
  }

  /// Returns the SQL that compares a column's sort position with a value. Missing values sort
  /// first.
  private func sorts(
    _ column: String,
    _ comparison: Comparison,
    _ mark: String,
    _ value: Value?
  ) -> PlainSQL {
    guard let value else {
      switch comparison {
      case .equal, .lessOrEqual: return PlainSQL("\(column) IS NULL")
      case .notEqual, .greater: return PlainSQL("\(column) IS NOT NULL")
      case .less: return PlainSQL("0")
      case .greaterOrEqual: return PlainSQL("1")
      }
    }
    switch comparison {
    case .less, .lessOrEqual, .notEqual:
      return PlainSQL("(\(column) IS NULL OR \(column)\(comparison.rawValue)\(mark))", [value])
    case .equal, .greater, .greaterOrEqual:
      return PlainSQL("\(column)\(comparison.rawValue)\(mark)", [value])
    }
  }

  /// Converts an identifier to its stored form, which is that of a reference: 16 bytes for a UUID.
  private func bound(_ value: Value, _ field: Field) -> Value {
    guard field.inner == .identifier, case .string(let text) = value else { return value }
    return .reference(EntityID(unchecked: text))
  }

  /// The placeholder of a value that the field is compared with. Other tools fold ASCII only.
  private func mark(_ field: Field) -> String { field.isFolded ? "lower(?)" : "?" }

  /// Returns the table of a `FROM` clause. In SQL of callers, other names than the stored ones need
  /// the schema, so that this finds the stored table there too.
  private func source(_ type: EntityType) -> String {
    let name = (layout(type)?.table ?? type.text).identifier
    return isNamedAsStored(type) ? name : "main.\(name)"
  }

  private func table(_ type: EntityType) -> String {
    if let alias, type == query.type { return alias }
    return (layout(type)?.table ?? type.text).identifier
  }

  private func column(_ field: Field, _ type: EntityType) -> String {
    column(field, type, in: table(type))
  }

  private func column(_ field: Field, _ type: EntityType, in table: String) -> String {
    switch field {
    case .identifier: return "\(table).id"
    case .datestamp: return "((\(table).datestamp >> 16) / 1000.0 - 978307200.0)"
    case .modified:
      return "((coalesce(\(table).modified, \(table).datestamp) >> 16) / 1000.0 - 978307200.0)"
    case .joined(let joined, let inner):
      guard joined == query.type, query.joinsItself else { return column(inner, joined) }
      return column(inner, joined, in: QueryCompiler.ownTypeJoined)
    case .decimal(let inner): return "CAST(\(column(inner, type, in: table)) AS NUMERIC)"
    case .ofRelated(let inner, let related):
      guard let rows = relatedRows(related, type) else { return Self.unknown }
      let (sub, name) = within(related)
      return "(SELECT \(sub.column(inner, related.query.type, in: name)) \(rows) LIMIT 1)"
    case .aggregate(let aggregation, let related):
      guard let rows = relatedRows(related, type) else { return Self.unknown }
      let (sub, name) = within(related)
      let values = aggregation.field.map { sub.column($0, related.query.type, in: name) } ?? "*"
      let isDistinct = aggregation.function == .countDistinct
      let call =
        isDistinct ? "count(DISTINCT \(values))" : "\(aggregation.function.rawValue)(\(values))"
      return "(SELECT \(call) \(rows))"
    // Other tools have no list of relevances.
    case .relevance: return "NULL"
    case .folded(let inner): return "lower(\(column(inner, type, in: table)))"
    // Only Varve reads its encoding, so other tools refuse this.
    case .inside(let inner, let path):
      let steps = SQLFragment.literal(Value.array(path.map(\.value)).encoded)
      return "varve_at(\(column(inner.stored, type, in: table)), \(steps))"
    case .firstOf(let key, let older):
      let names = ([key] + older).map { column(.property($0), type, in: table) }
      return "coalesce(\(names.joined(separator: ", ")))"
    case .property(let key):
      let name = layout(type)?.column(key).map { $0.column ?? "NULL" } ?? key.text
      return "\(table).\(name.identifier)"
    }
  }
}

/// Relations as subqueries.
extension PlainQuery {
  /// An expression that plain SQL does not have, so that other tools refuse the query.
  private static var unknown: String { "varve_related()" }

  private func within(_ related: RelatedEntities) -> (query: PlainQuery, name: String) {
    var sub = PlainQuery(related.query, layout: layout, isNamedAsStored: isNamedAsStored)
    sub.depth = depth + 1
    let name = "varve_r\(sub.depth)"
    sub.alias = name
    return (sub, name)
  }

  /// Returns `FROM … WHERE …` of the related entities of a row, with values as literals; nil if
  /// other tools cannot find them.
  private func relatedRows(_ related: RelatedEntities, _ type: EntityType) -> String? {
    guard case .equal(let field, let own) = related.link, related.query.subtypes.isEmpty else {
      return nil
    }
    let (sub, name) = within(related)
    let theirs = related.query.type
    let from = source(theirs)
    let link = "\(sub.column(field, theirs, in: name)) = \(column(own, type))"
    let rows = "FROM \(from) AS \(name) WHERE \(link)"
    guard related.query.condition != .always else { return rows }
    return "\(rows) AND (\(sub.compile(related.query.condition, theirs).inlined))"
  }
}

/// SQL text and the values of its placeholders.
private struct PlainSQL {
  var text: String
  var values: [Value] = []

  init(_ text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  static func + (left: PlainSQL, right: PlainSQL) -> PlainSQL {
    PlainSQL(left.text + right.text, left.values + right.values)
  }

  static func += (left: inout PlainSQL, right: PlainSQL) { left = left + right }

  /// The text with its values as literals.
  var inlined: String { text.replacingPlaceholders(by: values.map(\.literal)) }
}

extension [PlainSQL] {
  fileprivate func joined(by separator: String) -> PlainSQL {
    PlainSQL(map(\.text).joined(separator: separator), flatMap(\.values))
  }
}

extension Value {
  /// The value as a literal of SQL, in the form it has in a column of its kind.
  fileprivate var literal: String {
    switch SQLValue(self) {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): value.isFinite ? value.description : (value > 0 ? "9e999" : "-9e999")
    case .text(let text): "'" + text.replacing("'", with: "''") + "'"
    case .blob(let bytes): SQLFragment.literal(bytes)
    }
  }
}

extension String {
  /// The text with the wildcards of `GLOB` escaped.
  fileprivate var globEscaped: String {
    reduce(into: "") { text, character in
      switch character {
      case "*", "?", "[": text += "[\(character)]"
      default: text.append(character)
      }
    }
  }
}
