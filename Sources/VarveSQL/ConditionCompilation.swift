import Foundation
import VarveCore

extension QueryCompiler {
  /// A condition as an SQL expression with SQL's three truth values.
  func compile(_ condition: Condition) -> SQLFragment {
    switch condition {
    case .always: return SQLFragment("1")
    case .compare(let field, let comparison, let value): return compare(field, comparison, value)
    case .isIn(let field, let values): return isIn(field, values)
    case .hasPrefix(let field, let text):
      return textual(field) { SQLFragment("varve_prefix(\($0), ?)", [.text(text)]) }
    case .contains(let field, let text):
      return textual(field) { SQLFragment("(instr(\($0), ?) > 0)", [.text(text)]) }
    case .isMissing(let field): return isMissing(field)
    case .not:
      let (inner, isNegated) = condition.withoutNegations
      guard isNegated else { return compile(inner) }
      return SQLFragment("(NOT ") + compile(inner) + SQLFragment(")")
    case .and: return list(condition.conjuncts.map(compile), " AND ", empty: "1")
    case .or: return list(condition.disjuncts.map(compile), " OR ", empty: "0")
    }
  }

  /// Parts in a balanced tree: SQLite bounds how deep an expression may be, not how wide.
  private func list(_ parts: [SQLFragment], _ operation: String, empty: String) -> SQLFragment {
    guard !parts.isEmpty else { return SQLFragment(empty) }
    guard parts.count > Self.flatPartCount else {
      return SQLFragment("(") + .joined(parts, by: operation) + SQLFragment(")")
    }
    let size = (parts.count + Self.flatPartCount - 1) / Self.flatPartCount
    let groups = stride(from: 0, to: parts.count, by: size).map { start in
      list(Array(parts[start..<min(start + size, parts.count)]), operation, empty: empty)
    }
    return list(groups, operation, empty: empty)
  }

  /// How many operands stand side by side.
  private static let flatPartCount = 64

  private func compare(_ field: Field, _ comparison: Comparison, _ value: Value) -> SQLFragment {
    guard !value.isNotComparable, var left = expression(field, rank: value.sortRank) else {
      return SQLFragment("NULL")
    }
    var right = SQLValue(value)
    if case .identifier = field, comparison == .equal, case .string(let text) = value {
      return SQLFragment("(t.id = ?)", [SQLValue(EntityID(unchecked: text))])
    }
    if case .reference(let id) = value, comparison != .equal, comparison != .notEqual {
      left = "varve_text(\(left))"
      right = .text(id.text)
    }
    return SQLFragment("(\(left) \(comparison.rawValue) ?)", [right])
  }

  private func isIn(_ field: Field, _ values: [Value]) -> SQLFragment {
    guard !values.isEmpty else { return isPresentAnd(field, false) }
    let equals = values.map { compare(field, .equal, $0) }
    let ranks = Set(values.map(\.sortRank))
    guard let rank = ranks.first, ranks.count == 1, let left = expression(field, rank: rank) else {
      return list(equals, " OR ", empty: "0")
    }
    let items = values.map { value in
      value.isNotComparable
        ? SQLFragment("NULL") : SQLFragment("?", [SQLValue(value)])
    }
    return SQLFragment("(\(left) IN (") + .joined(items, by: ", ") + SQLFragment("))")
  }

  /// A constant where the field has a value, else nothing.
  private func isPresentAnd(_ field: Field, _ answer: Bool) -> SQLFragment {
    SQLFragment("(CASE WHEN ") + isMissing(field) + SQLFragment(" THEN NULL ELSE ")
      + SQLFragment(answer ? "1 END)" : "0 END)")
  }

  private func textual(_ field: Field, _ build: (String) -> SQLFragment) -> SQLFragment {
    guard let text = expression(field, rank: Value.string("").sortRank) else {
      return SQLFragment("NULL")
    }
    return build(text)
  }

  private func isMissing(_ field: Field) -> SQLFragment {
    guard case .property(let key) = field else { return SQLFragment("0") }
    guard let column = layout.column(key) else { return SQLFragment("1") }
    let overflow = "NOT varve_has_more(t.more, \(column.keyNumber))"
    guard let name = column.column else { return SQLFragment("(\(overflow))") }
    let isNull = "t.\(name.quotedIdentifier) IS NULL"
    return SQLFragment(column.isSpilled ? "(\(isNull) AND \(overflow))" : "(\(isNull))")
  }

  /// The field's value where its rank is the one asked for, or nil where it never is.
  private func expression(_ field: Field, rank: Int) -> String? {
    switch field {
    case .identifier: return rank == Value.string("").sortRank ? "varve_text(t.id)" : nil
    case .datestamp: return dateExpression("t.datestamp", rank: rank)
    case .modified: return dateExpression("coalesce(t.modified, t.datestamp)", rank: rank)
    case .property(let key):
      guard let column = layout.column(key) else { return nil }
      let name = column.column.map { "t." + $0.quotedIdentifier }
      let direct = column.rank == rank ? name : nil
      guard column.isSpilled || name == nil else { return direct }
      let overflow = "varve_more(t.more, \(column.keyNumber), \(rank))"
      return direct.map { "coalesce(\($0), \(overflow))" } ?? overflow
    }
  }

  /// The same arithmetic that makes a date of a hybrid time, so comparisons agree to the bit.
  private func dateExpression(_ raw: String, rank: Int) -> String? {
    guard rank == Value.date(.now).sortRank else { return nil }
    return "((\(raw) >> 16) / 1000.0 - 978307200.0)"
  }
}

extension Condition {
  /// How deep alternations of all, one and not may go.
  private static let maximumDepth = 128

  /// Checks that compiling does not go too deep. A chain of one kind, however it is nested, is one
  /// list and has no bound.
  ///
  /// - Throws: ``VarveError`` with code `invalidQuery`.
  func validateDepth() throws {
    var (level, depth) = ([self], 0)
    while !level.isEmpty {
      depth += 1
      guard depth <= Self.maximumDepth else {
        throw VarveError(
          .invalidQuery,
          "a condition is nested more than \(Self.maximumDepth) deep",
          remedy: "List what must hold, or what may, side by side."
        )
      }
      level = level.flatMap { condition -> [Condition] in
        switch condition {
        case .and: condition.conjuncts
        case .or: condition.disjuncts
        case .not: [condition.withoutNegations.condition]
        default: []
        }
      }
    }
  }

  /// What is negated, and whether it is, of several negations in each other.
  fileprivate var withoutNegations: (condition: Condition, isNegated: Bool) {
    var (inner, isNegated) = (self, false)
    while case .not(let condition) = inner { (inner, isNegated) = (condition, !isNegated) }
    return (inner, isNegated)
  }

  /// The conditions all of which must hold, conjunctions among them taken apart.
  fileprivate var conjuncts: [Condition] {
    parts { if case .and(let parts) = $0 { parts } else { nil } }
  }

  /// The conditions one of which must hold, disjunctions among them taken apart.
  fileprivate var disjuncts: [Condition] {
    parts { if case .or(let parts) = $0 { parts } else { nil } }
  }

  /// What is left, in order, when all that can be is taken apart.
  private func parts(_ takenApart: (Condition) -> [Condition]?) -> [Condition] {
    var (rest, parts) = ([self], [Condition]())
    while let condition = rest.popLast() {
      if let inner = takenApart(condition) {
        rest += inner.reversed()
      } else {
        parts.append(condition)
      }
    }
    return parts
  }
}
