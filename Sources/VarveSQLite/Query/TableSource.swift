import Foundation
import VarveCore

/// A table of a query, or a subquery in its place, with the SQL expressions of its fields.
struct TableSource {
  let layout: TableLayout
  /// The table or subquery to select from.
  let sql: String
  /// The quoted name of the table in the query.
  let alias: String
  /// The creation order, if it differs from the table's own.
  private let creationOrderOverride: String?
  /// The fields that subqueries compute, without interpretation.
  var computed: [Field: ComputedField] = [:]

  init(
    _ layout: TableLayout,
    sql: String? = nil,
    alias: String = "t",
    creationOrder: String? = nil
  ) {
    self.layout = layout
    self.sql = sql ?? layout.table.quotedIdentifier
    self.alias = alias
    creationOrderOverride = creationOrder
  }

  /// Whether the table is a union of rows whose numbers are in creation order.
  var isMergedByRow: Bool { creationOrderOverride == "\(alias).row" }

  /// The table as part of a `FROM` clause.
  var from: String { "\(sql) AS \(alias)" }

  /// Returns an expression for the field's value if it has the given rank, or nil if it never has.
  func expression(_ field: Field, rank: Int) -> String? {
    switch field {
    case .identifier: return rank == Value.string("").sortRank ? "varve_text(\(alias).id)" : nil
    case .datestamp: return dateExpression("\(alias).datestamp", rank: rank)
    case .modified:
      return dateExpression("coalesce(\(alias).modified, \(alias).datestamp)", rank: rank)
    case .firstOf(let key, let older): return firstExpression([key] + older, rank: rank)
    case .decimal(let inner):
      return rank == Value.data(Data()).sortRank ? decimalExpression(inner) : nil
    case .property(let key):
      guard let column = layout.column(key) else { return nil }
      let name = self.name(of: column)
      let direct = column.rank == rank ? name : nil
      guard column.isSpilled || name == nil else { return direct }
      let overflow = "varve_more(\(alias).more, \(column.keyNumber), \(rank))"
      return direct.map { "coalesce(\($0), \(overflow))" } ?? overflow
    case .joined(_, let inner): return expression(inner, rank: rank)
    case .folded(let inner):
      let stored = expression(inner, rank: rank)
      return rank == Value.string("").sortRank ? stored.map { "varve_fold(\($0))" } : stored
    case .inside, .ofRelated, .aggregate, .relevance:
      guard !field.isDecimal, !field.isFolded else {
        return expression(field.canonical, rank: rank)
      }
      if let plain = computed[field]?.plain { return plain.rank == rank ? plain.sql : nil }
      return "varve_ranked(\(valueExpression(field)), \(rank))"
    }
  }

  /// Returns an expression for the value of the first property that is present, of whatever kind.
  private func firstExpression(_ keys: [PropertyKey], rank: Int) -> String? {
    let columns = keys.compactMap(layout.column)
    guard let last = columns.last else { return nil }
    let parts = columns.map { expression(.property($0.key), rank: rank) }
    if columns.allSatisfy({ isPlain($0) && $0.rank == rank }) || columns.count == 1 {
      let list = parts.compactMap(\.self)
      return list.count > 1 ? "coalesce(\(list.joined(separator: ", ")))" : list.first
    }
    // A present value of another kind hides the older properties.
    let cases = zip(columns, parts).dropLast().map { column, part in
      "WHEN NOT \(isMissing(.property(column.key)).text) THEN \(part ?? "NULL")"
    }
    let end = expression(.property(last.key), rank: rank) ?? "NULL"
    return "(CASE \(cases.joined(separator: " ")) ELSE \(end) END)"
  }

  /// Returns an expression for bytes that sort like the field's decimal numbers, and are NULL if
  /// the field has no number.
  func decimalExpression(_ field: Field) -> String? {
    switch field {
    case .joined(_, let inner), .decimal(let inner), .folded(let inner):
      return decimalExpression(inner)
    case .inside, .ofRelated, .aggregate, .relevance:
      return "varve_decimal(\(valueExpression(field)), \(Value.Kind.array.rawValue), NULL, 0)"
    case .firstOf(let key, let older):
      return firstThere([key] + older) { decimalExpression(.property($0)) }
    case .property(let key):
      guard let column = layout.column(key) else { return nil }
      let name = name(of: column) ?? "NULL"
      let more = column.isSpilled || column.column == nil ? "\(alias).more" : "NULL"
      return "varve_decimal(\(name), \(column.kind.rawValue), \(more), \(column.keyNumber))"
    case .identifier:
      return "varve_decimal(varve_text(\(alias).id), \(Value.Kind.string.rawValue), NULL, 0)"
    case .datestamp, .modified: return nil
    }
  }

  /// Returns the expression of the first property that has a value, of whatever kind.
  private func firstThere(
    _ keys: [PropertyKey],
    _ expression: (PropertyKey) -> String?
  ) -> String? {
    let there = keys.filter { layout.column($0) != nil }
    guard let last = there.last, there.contains(where: { expression($0) != nil }) else {
      return nil
    }
    return there.dropLast().reversed().reduce(expression(last) ?? "NULL") { rest, key in
      let isMissing = isMissing(.property(key)).text
      return "CASE WHEN \(isMissing) THEN \(rest) ELSE \(expression(key) ?? "NULL") END"
    }
  }

  /// Returns an expression for whether the field has a comparable value.
  func isComparable(_ field: Field) -> String {
    switch field {
    case .identifier, .datestamp, .modified: return "1"
    case .joined(_, let inner), .folded(let inner): return isComparable(inner)
    case .inside, .ofRelated, .aggregate, .relevance:
      return "(varve_ranked(\(valueExpression(field)), NULL) IS NOT NULL)"
    case .decimal(let inner): return decimalExpression(inner).map { "(\($0) IS NOT NULL)" } ?? "0"
    case .firstOf(let key, let older):
      return firstThere([key] + older) { isComparable(.property($0)) } ?? "0"
    case .property(let key):
      guard let column = layout.column(key) else { return "0" }
      let overflow = "varve_comparable(\(alias).more, \(column.keyNumber))"
      guard let name = name(of: column) else { return overflow }
      return column.isSpilled ? "(\(name) IS NOT NULL OR \(overflow))" : "(\(name) IS NOT NULL)"
    }
  }

  private func name(of column: ColumnLayout) -> String? {
    column.column.map { "\(alias).\($0.quotedIdentifier)" }
  }

  /// Returns the date of a hybrid time, computed exactly as in Swift, so that comparisons agree to
  /// the bit.
  private func dateExpression(_ raw: String, rank: Int) -> String? {
    guard rank == Value.date(.now).sortRank else { return nil }
    return "((\(raw) >> 16) / 1000.0 - 978307200.0)"
  }

  /// Returns the condition that the field has no value.
  func isMissing(_ field: Field) -> SQLFragment {
    switch field {
    case .identifier, .datestamp, .modified: return SQLFragment("0")
    case .joined(_, let inner), .decimal(let inner), .folded(let inner): return isMissing(inner)
    case .inside, .ofRelated, .aggregate, .relevance:
      return SQLFragment("(\(valueExpression(field)) IS NULL)")
    case .firstOf(let key, let older):
      let parts = ([key] + older).map { isMissing(.property($0)) }
      return SQLFragment("(") + .joined(parts, by: " AND ") + SQLFragment(")")
    case .property(let key):
      guard let column = layout.column(key) else { return SQLFragment("1") }
      let overflow = "NOT varve_has_more(\(alias).more, \(column.keyNumber))"
      guard let name = name(of: column) else { return SQLFragment("(\(overflow))") }
      let isNull = "\(name) IS NULL"
      return SQLFragment(column.isSpilled ? "(\(isNull) AND \(overflow))" : "(\(isNull))")
    }
  }

  /// Returns the expression by which rows are sorted.
  func sortExpression(_ field: Field) -> String {
    switch field {
    case .identifier: return "varve_text(\(alias).id)"
    case .datestamp: return "(\(alias).datestamp >> 16)"
    case .modified: return "(coalesce(\(alias).modified, \(alias).datestamp) >> 16)"
    case .joined(_, let inner): return sortExpression(inner)
    case .folded(let inner) where onlyRank(inner) == Value.string("").sortRank:
      return "varve_fold(\(sortExpression(inner)))"
    case .ofRelated, .aggregate, .relevance:
      guard let plain = computed[field]?.plain else { return sortKeyExpression(field) }
      let isReference = plain.rank == Value.reference(EntityID(unchecked: "")).sortRank
      return isReference ? "varve_text(\(plain.sql))" : plain.sql
    case .folded, .inside: return sortKeyExpression(field)
    case .decimal(let inner): return decimalExpression(inner) ?? "NULL"
    case .firstOf(let key, let older):
      let columns = ([key] + older).compactMap(layout.column)
      guard let first = columns.first else { return "NULL" }
      let arePlain = columns.allSatisfy { isPlain($0) && $0.rank == first.rank }
      let parts = columns.map { arePlain ? plainSort($0) : sortKey($0) }
      return parts.count > 1 ? "coalesce(\(parts.joined(separator: ", ")))" : parts[0]
    case .property(let key):
      guard let column = layout.column(key) else { return "NULL" }
      return isPlain(column) ? plainSort(column) : sortKey(column)
    }
  }

  /// Returns whether the column alone determines how the field sorts.
  func isPlain(_ column: ColumnLayout) -> Bool { !column.isSpilled && column.column != nil }

  private func plainSort(_ column: ColumnLayout) -> String {
    let name = name(of: column) ?? "NULL"
    return column.kind == .reference ? "varve_text(\(name))" : name
  }

  /// Returns the sort key of a value of any kind.
  private func sortKey(_ column: ColumnLayout) -> String { call("varve_sort", column) }

  private func call(_ function: String, _ column: ColumnLayout) -> String {
    let name = name(of: column) ?? "NULL"
    return "\(function)(\(name), \(column.kind.rawValue), \(alias).more, \(column.keyNumber))"
  }

  /// Returns an expression for the sort key of the field, of whatever kind; NULL if it is missing.
  func sortKeyExpression(_ field: Field) -> String { call("varve_sort", field) }

  /// Returns an expression for the encoded value, of whatever kind; NULL if it is missing.
  func valueExpression(_ field: Field) -> String { call("varve_value", field) }

  /// Returns the call of an SQL function that takes a column, its kind, the overflow column and the
  /// key.
  func call(_ function: String, _ field: Field) -> String {
    switch field {
    case .identifier:
      return "\(function)(varve_text(\(alias).id), \(Value.Kind.string.rawValue), NULL, 0)"
    case .datestamp, .modified:
      let date = expression(field, rank: Value.date(.now).sortRank) ?? "NULL"
      return "\(function)(\(date), \(Value.Kind.date.rawValue), NULL, 0)"
    case .joined(_, let inner): return call(function, inner)
    case .decimal(let inner):
      // Decimal numbers sort by number; other functions use the stored value.
      return function == "varve_sort" ? decimalExpression(inner) ?? "NULL" : call(function, inner)
    case .folded(let inner):
      let value = valueExpression(inner)
      return function == "varve_value" ? value : call(function, onEncoded: "varve_folded(\(value))")
    case .inside(let inner, let path):
      let steps = SQLFragment.literal(Value.array(path.map(\.value)).encoded)
      let value = "varve_at(\(valueExpression(inner.stored)), \(steps))"
      return function == "varve_value" ? value : call(function, onEncoded: value)
    case .ofRelated, .aggregate, .relevance:
      let value = computed[field.stored]?.encoded ?? "NULL"
      return function == "varve_value" ? value : call(function, onEncoded: value)
    case .firstOf(let key, let older):
      let columns = ([key] + older).compactMap(layout.column)
      guard let last = columns.last, columns.count > 1 else {
        return columns.first.map { call(function, $0) } ?? "NULL"
      }
      let cases = columns.dropLast().map { column in
        "WHEN NOT \(isMissing(.property(column.key)).text) THEN \(call(function, column))"
      }
      return "(CASE \(cases.joined(separator: " ")) ELSE \(call(function, last)) END)"
    case .property(let key): return layout.column(key).map { call(function, $0) } ?? "NULL"
    }
  }

  /// Returns the call of an SQL function that takes a column, for an encoded value instead.
  private func call(_ function: String, onEncoded value: String) -> String {
    "\(function)(\(value), \(Value.Kind.array.rawValue), NULL, 0)"
  }

  /// Returns an expression for the encoded value by which the field compares.
  func comparandExpression(_ field: Field) -> String {
    field.isFolded ? "varve_folded(\(valueExpression(field)))" : valueExpression(field)
  }

  /// Returns the rank of the field's values, if all have the same and SQL compares them as they
  /// are, or as texts if they are references.
  func onlyRank(_ field: Field) -> Int? {
    switch field {
    case .identifier: Value.string("").sortRank
    case .datestamp, .modified: Value.date(.now).sortRank
    case .property(let key): layout.column(key).flatMap { isPlain($0) ? $0.rank : nil }
    case .joined(_, let inner), .folded(let inner): onlyRank(inner)
    case .ofRelated, .aggregate, .relevance: computed[field]?.plain?.rank
    case .firstOf, .decimal, .inside: nil
    }
  }

  /// Returns whether all values of the field have one rank and are in its column.
  func holdsOnly(_ field: Field, rank: Int) -> Bool {
    guard case .property(let key) = field, let column = layout.column(key) else { return false }
    return isPlain(column) && column.rank == rank
  }

  /// Returns whether the field's column has an index.
  func isIndexed(_ field: Field) -> Bool {
    guard case .property(let key) = field.inner else { return false }
    return layout.column(key).map { $0.isIndexed && isPlain($0) } ?? false
  }

  /// Creation order (R5): by datestamp, commit and ordinal, or by row number if that is the same.
  var creationOrder: String {
    if let creationOrderOverride { return creationOrderOverride }
    guard !layout.isInOrder else { return "\(alias).row" }
    return """
      \(alias).datestamp, \
      (SELECT varve_stamp(i.born) FROM varve_identity i WHERE i.id = \(alias).id), \
      \(alias).ordinal
      """
  }
}
