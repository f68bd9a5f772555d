import Foundation
import VarveCore

extension QueryCompiler {
  /// A condition as an SQL expression with SQL's three truth values.
  func compile(_ condition: Condition) throws -> SQLFragment {
    switch condition {
    case .always: return SQLFragment("1")
    case .compare(let field, let comparison, let value):
      return try compare(field, comparison, value)
    case .isIn(let field, let values): return try isIn(field, values)
    case .hasPrefix(let field, let text):
      return try textual(field) { SQLFragment("varve_prefix(\($0), ?)", [.text(text)]) }
    case .contains(let field, let text):
      return try textual(field) { SQLFragment("(instr(\($0), ?) > 0)", [.text(text)]) }
    case .isMissing(let field): return try source(field).isMissing(field.stored)
    case .sorts(let field, let comparison, let value): return try sorts(field, comparison, value)
    case .matches(let text, let fields): return try compileSearch(text, fields)
    case .sql(let text, let values): return SQLFragment("(\(text))", values.map(SQLValue.init))
    case .not:
      let (inner, isNegated) = condition.withoutNegations
      guard isNegated else { return try compile(inner) }
      return SQLFragment("(NOT ") + (try compile(inner)) + SQLFragment(")")
    case .and: return .balanced(try condition.conjuncts.map(compile), " AND ", empty: "1")
    case .or: return .balanced(try condition.disjuncts.map(compile), " OR ", empty: "0")
    }
  }

  private func compare(
    _ field: Field,
    _ comparison: Comparison,
    _ value: Value
  ) throws -> SQLFragment {
    let source = try source(field)
    guard let value = field.comparand(of: value), !value.isNotComparable,
      var left = source.expression(field, rank: value.sortRank)
    else { return SQLFragment("NULL") }
    var right = SQLValue(value)
    if case .identifier = field.inner, comparison == .equal, case .string(let text) = value {
      return isOne(of: [text], source)
    }
    if case .reference(let id) = value, comparison != .equal, comparison != .notEqual {
      left = "varve_text(\(left))"
      right = .text(id.text)
    }
    return SQLFragment("(\(left) \(comparison.rawValue) ?)", [right])
  }

  private func isIn(_ field: Field, _ values: [Value]) throws -> SQLFragment {
    guard !values.isEmpty else { return try isComparableAnd(field, false) }
    let texts = values.compactMap(\.stringValue)
    if field.inner == .identifier, texts.count == values.count {
      return isOne(of: texts, try source(field))
    }
    let ranks = Set(values.map(\.sortRank))
    guard !field.isDecimal, let rank = ranks.first, ranks.count == 1,
      let left = try source(field).expression(field, rank: rank)
    else {
      return .balanced(try values.map { try compare(field, .equal, $0) }, " OR ", empty: "0")
    }
    let items = values.map { value in
      value.isNotComparable
        ? SQLFragment("NULL") : SQLFragment("?", [SQLValue(value)])
    }
    return SQLFragment("(\(left) IN (") + .joined(items, by: ", ") + SQLFragment("))")
  }

  /// Whether a row's identifier is one of some. The one in a wide row has no index of its own.
  private func isOne(of texts: [String], _ source: TableSource) -> SQLFragment {
    let ids = texts.map { SQLFragment("?", [SQLValue(EntityID(unchecked: $0))]) }
    let list = .joined(ids, by: ", ") + SQLFragment(")")
    guard usesIdentities else {
      return SQLFragment("(\(source.alias).id IN (") + list + SQLFragment(")")
    }
    return SQLFragment("(\(source.alias).row IN (SELECT row FROM varve_identity WHERE id IN (")
      + list + SQLFragment("))")
  }

  /// Where the field comes in an order, compared with where a value would, or nothing.
  private func sorts(
    _ field: Field,
    _ comparison: Comparison,
    _ value: Value?
  ) throws -> SQLFragment {
    let source = try source(field)
    guard !field.isDecimal else {
      let bound = value.flatMap(field.comparand).map { SQLValue($0) } ?? .blob([])
      let left = "coalesce(\(source.sortExpression(field)), x'')"
      return SQLFragment("(\(left) \(comparison.rawValue) ?)", [bound])
    }
    guard let value else {
      let isMissing = source.isMissing(field)
      switch comparison {
      case .equal, .lessOrEqual: return isMissing
      case .notEqual, .greater: return SQLFragment("(NOT ") + isMissing + SQLFragment(")")
      case .less: return SQLFragment("0")
      case .greaterOrEqual: return SQLFragment("1")
      }
    }
    let key = SQLFragment(
      "(coalesce(\(source.sortKeyExpression(field)), x'') \(comparison.rawValue) ?)",
      [.blob(value.sortKey)]
    )
    guard comparison == .greater || comparison == .greaterOrEqual || comparison == .equal,
      source.holdsOnly(field, rank: value.sortRank), value.kind != .reference,
      let plain = source.expression(field, rank: value.sortRank), !value.isNotComparable
    else { return key }
    // What an index can find, where the column holds nothing else.
    return SQLFragment("(\(plain) \(comparison.rawValue) ?)", [SQLValue(value)])
  }

  /// A constant where the field has a value that compares with something, else nothing.
  private func isComparableAnd(_ field: Field, _ answer: Bool) throws -> SQLFragment {
    let isComparable = try source(field).isComparable(field)
    return SQLFragment("(CASE WHEN \(isComparable) THEN \(answer ? 1 : 0) END)")
  }

  private func textual(_ field: Field, _ build: (String) -> SQLFragment) throws -> SQLFragment {
    guard let text = try source(field).expression(field, rank: Value.string("").sortRank) else {
      return SQLFragment("NULL")
    }
    return build(text)
  }
}

extension SQLFragment {
  /// Parts in a balanced tree: SQLite bounds how deep an expression may be, not how wide.
  static func balanced(
    _ parts: [SQLFragment],
    _ operation: String,
    empty: String
  ) -> SQLFragment {
    guard !parts.isEmpty else { return SQLFragment(empty) }
    guard parts.count > flatPartCount else {
      return SQLFragment("(") + .joined(parts, by: operation) + SQLFragment(")")
    }
    let size = (parts.count + flatPartCount - 1) / flatPartCount
    let groups = stride(from: 0, to: parts.count, by: size).map { start in
      balanced(Array(parts[start..<min(start + size, parts.count)]), operation, empty: empty)
    }
    return balanced(groups, operation, empty: empty)
  }

  /// How many operands stand side by side.
  private static let flatPartCount = 64
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
  var withoutNegations: (condition: Condition, isNegated: Bool) {
    var (inner, isNegated) = (self, false)
    while case .not(let condition) = inner { (inner, isNegated) = (condition, !isNegated) }
    return (inner, isNegated)
  }

  /// The conditions all of which must hold, conjunctions among them taken apart.
  var conjuncts: [Condition] {
    parts { if case .and(let parts) = $0 { parts } else { nil } }
  }

  /// The conditions one of which must hold, disjunctions among them taken apart.
  var disjuncts: [Condition] {
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
