import Foundation
import VarveCore

extension QueryCompiler {
  /// Returns a condition as an SQL expression, which has SQL's three truth values.
  func compile(_ condition: Condition) throws -> SQLFragment {
    // A caller may give any number of them.
    try Task.checkCancellation()
    switch condition {
    case .always: return SQLFragment("1")
    case .compare(let field, let comparison, let value):
      return try compare(field, comparison, value)
    case .compareFields(let field, let comparison, let other):
      return try compare(FieldPair(field, other), comparison)
    case .isIn(let field, let values): return try isIn(field, values)
    case .hasPrefix(let field, let text):
      return try textual(field, text) { SQLFragment("varve_prefix(\($0), ?)", [.text($1)]) }
    case .contains(let field, let text):
      return try textual(field, text) { SQLFragment("(instr(\($0), ?) > 0)", [.text($1)]) }
    case .includes(let field, let value): return try includes(field, value)
    case .isMissing(let field): return try source(field).isMissing(field.stored)
    case .exists(let related): return try exists(related)
    case .sorts(let field, let comparison, let value): return try sorts(field, comparison, value)
    case .matches(let text, let fields): return try compileSearch(text, fields)
    case .sql(let text, let values): return main.condition(sql: text, values.map(SQLValue.init))
    case .not:
      let (inner, isNegated) = condition.withoutNegations
      guard isNegated else { return try compile(inner) }
      return SQLFragment("(NOT ") + (try compile(inner)) + SQLFragment(")")
    case .and: return .balanced(try condition.requirements.map(compile), " AND ", empty: "1")
    case .or: return .balanced(try condition.alternatives.map(compile), " OR ", empty: "0")
    }
  }

  private func compare(
    _ field: Field,
    _ comparison: Comparison,
    _ value: Value
  ) throws -> SQLFragment {
    let field = field.canonical
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
    let operand = hidesValues ? "varve_bound(?)" : "?"
    return SQLFragment("(\(left) \(comparison.rawValue) \(operand))", [right])
  }

  private func isIn(_ field: Field, _ values: [Value]) throws -> SQLFragment {
    let field = field.canonical
    guard !values.isEmpty else { return try isComparableAnd(field, false) }
    let source = try source(field)
    var ranks: [Int?] = []
    var lists: [Int?: [Value]] = [:]
    for value in values {
      try Task.checkCancellation()
      // A value that compares with none is like the field's null.
      let comparand = field.comparand(of: value).flatMap { $0.isNotComparable ? nil : $0 }
      if lists[comparand?.sortRank] == nil { ranks.append(comparand?.sortRank) }
      lists[comparand?.sortRank, default: []].append(comparand ?? value)
    }
    let parts = ranks.map { rank -> SQLFragment in
      let list = lists[rank] ?? []
      if field.inner == .identifier, rank == Value.string("").sortRank {
        return isOne(of: list.compactMap(\.stringValue), source)
      }
      guard let rank, let left = source.expression(field, rank: rank) else {
        return SQLFragment("NULL")
      }
      let items = list.map { SQLFragment("?", [SQLValue($0)]) }
      return SQLFragment("(\(left) IN (") + .joined(items, by: ", ") + SQLFragment("))")
    }
    return .balanced(parts, " OR ", empty: "0")
  }

  /// Returns the condition that a row's identifier is one of the texts.
  ///
  /// It looks rows up in the identity table: the identifier column of an entity table has no index.
  private func isOne(of texts: [String], _ source: TableSource) -> SQLFragment {
    let ids = texts.map { SQLFragment("?", [SQLValue(EntityID(unchecked: $0))]) }
    let list = .joined(ids, by: ", ") + SQLFragment(")")
    guard usesIdentities else {
      return SQLFragment("(\(source.alias).id IN (") + list + SQLFragment(")")
    }
    // An entity without a row would make the absence of any other from the list unknown.
    return SQLFragment("(\(source.alias).row IN (SELECT row FROM varve_identity WHERE id IN (")
      + list + SQLFragment(" AND row IS NOT NULL))")
  }

  /// Returns the condition that the field sorts before, with or after a value, or after missing
  /// values if `value` is nil.
  private func sorts(
    _ field: Field,
    _ comparison: Comparison,
    _ value: Value?
  ) throws -> SQLFragment {
    let field = field.canonical
    let value = field.isFolded ? value?.folded : value
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
    // If the column holds nothing else, an index can find the values.
    return SQLFragment("(\(plain) \(comparison.rawValue) ?)", [SQLValue(value)])
  }

  /// Returns a constant that applies if the field has a comparable value, and NULL otherwise.
  private func isComparableAnd(_ field: Field, _ answer: Bool) throws -> SQLFragment {
    let isComparable = try source(field).isComparable(field)
    return SQLFragment("(CASE WHEN \(isComparable) THEN \(answer ? 1 : 0) END)")
  }

  private func textual(
    _ field: Field,
    _ part: String,
    _ build: (String, String) -> SQLFragment
  ) throws -> SQLFragment {
    let field = field.canonical
    guard let text = try source(field).expression(field, rank: Value.string("").sortRank) else {
      return SQLFragment("NULL")
    }
    return build(text, field.isFolded ? part.caseFolded : part)
  }
}

extension SQLFragment {
  /// Returns the parts joined in a balanced tree, because SQLite limits the depth of an expression,
  /// not its width.
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

  /// The number of operands that are joined without nesting.
  private static let flatPartCount = 64
}

extension Condition {
  /// The maximum depth to which conjunctions, disjunctions and negations can be nested.
  private static let maximumDepth = 128

  /// Checks that the condition is not nested too deep. A chain of one operator counts as one level,
  /// however it is nested.
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
          remedy: "Write the conditions side by side instead of nesting them."
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

  /// The condition without its outer negations, and whether their number is odd.
  var withoutNegations: (condition: Condition, isNegated: Bool) {
    var (inner, isNegated) = (self, false)
    while case .not(let condition) = inner { (inner, isNegated) = (condition, !isNegated) }
    return (inner, isNegated)
  }

  /// The conditions that must all hold, with nested conjunctions flattened.
  var conjuncts: [Condition] {
    parts { if case .and(let parts) = $0 { parts } else { nil } }
  }

  /// The alternatives, with nested disjunctions flattened.
  var disjuncts: [Condition] {
    parts { if case .or(let parts) = $0 { parts } else { nil } }
  }

  /// Returns the parts in order, with nested ones flattened.
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
