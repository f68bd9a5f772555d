import Foundation
import VarveCore

/// The bounds that the condition of a caller's SQL sets to dates.
///
/// The caller compares dates as texts, which no index has. So a view has only the rows within the
/// bounds, which an index finds among the stored dates. The caller's condition remains. Bounds are
/// read from simple statements only: one `SELECT` from one table, whose condition is a conjunction.
struct DateBounds {
  /// A bound of a column, in seconds since 2001.
  fileprivate struct Bound {
    var lower: Double
    var upper: Double?
  }

  private var bounds: [FoldedName: [Bound]] = [:]

  /// - Parameters:
  ///   - sql: the caller's SQL.
  ///   - table: the name of the type in it.
  init(_ sql: SQLText, of table: String) {
    guard let selection = SimpleSelection(sql, from: table) else { return }
    var parameters = sql.parameters.dropFirst(selection.earlierPlaceholderCount)
    for part in Self.conjuncts(selection.condition) { read(part, &parameters) }
  }

  /// Returns the condition on stored rows that follows from the bounds; nil if none does.
  func condition(on columns: [CallerColumns.Column]) -> String? {
    var parts: [String] = []
    for column in columns {
      // Dates that are not in the column cannot be found by its index.
      guard let stored = column.stored, stored.kind == .date, !stored.isSpilled,
        let name = stored.column?.quotedIdentifier
      else { continue }
      for bound in bounds[FoldedName(column.name)] ?? [] {
        parts.append("\(name) >= \(bound.lower)")
        if let upper = bound.upper { parts.append("\(name) <= \(upper)") }
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " AND ")
  }

  // MARK: Reading conditions

  private static func conjuncts(_ condition: ArraySlice<SQLToken>) -> [ArraySlice<SQLToken>] {
    var (parts, start, depth, isBetween) = (
      [ArraySlice<SQLToken>](), condition.startIndex, 0, false
    )
    for index in condition.indices {
      let token = condition[index]
      depth += token == .sign("(") ? 1 : token == .sign(")") ? -1 : 0
      guard depth == 0 else { continue }
      if token.isKeyword("BETWEEN") { isBetween = true }
      guard token.isKeyword("AND") else { continue }
      if isBetween {
        isBetween = false
      } else {
        parts.append(condition[start..<index])
        start = condition.index(after: index)
      }
    }
    return parts + [condition[start...]]
  }

  /// Reads `column < date`, `date < column` or `column BETWEEN date AND date`.
  private mutating func read(_ part: ArraySlice<SQLToken>, _ parameters: inout ArraySlice<Value>) {
    let own = parameters.prefix(part.count { $0 == .sign("?") })
    parameters = parameters.dropFirst(own.count)
    var (rest, values) = (part, own)
    if let column = Self.column(&rest) {
      guard let token = rest.popFirst() else { return }
      if token.isKeyword("BETWEEN") {
        guard let lower = Self.period(&rest, &values), rest.popFirst()?.isKeyword("AND") == true,
          let upper = Self.period(&rest, &values), rest.isEmpty
        else { return }
        add(Bound(lower: lower.lowerBound, upper: upper.upperBound), column)
      } else if case .sign(let sign) = token, let period = Self.period(&rest, &values),
        rest.isEmpty
      {
        add(sign, period, column)
      }
    } else if let period = Self.period(&rest, &values), case .sign(let sign)? = rest.popFirst(),
      let flipped = Self.flipped[sign], let column = Self.column(&rest), rest.isEmpty
    {
      add(flipped, period, column)
    }
  }

  private static let flipped = ["<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "==": "="]

  private mutating func add(_ sign: String, _ period: ClosedRange<Double>, _ column: String) {
    // Less than a text are also the numbers by which dates of other years are shown.
    switch sign {
    case ">", ">=": add(Bound(lower: period.lowerBound), column)
    case "=", "==": add(Bound(lower: period.lowerBound, upper: period.upperBound), column)
    default: break
    }
  }

  private mutating func add(_ bound: Bound, _ column: String) {
    bounds[FoldedName(column), default: []].append(bound)
  }

  /// Takes a column, with or without the name of its table.
  private static func column(_ rest: inout ArraySlice<SQLToken>) -> String? {
    var tokens = rest
    guard var name = tokens.popFirst()?.name else { return nil }
    if tokens.first == .sign(".") {
      guard let inner = tokens.dropFirst().first?.name else { return nil }
      name = inner
      tokens = tokens.dropFirst(2)
    }
    guard tokens.first != .sign("(") else { return nil }
    rest = tokens
    return name
  }

  /// Takes a text, a placeholder, or one of these in `varve_date(…)`, and returns the period in
  /// which dates are whose texts begin like it.
  private static func period(
    _ rest: inout ArraySlice<SQLToken>,
    _ values: inout ArraySlice<Value>
  ) -> ClosedRange<Double>? {
    var tokens = rest
    let isCall = tokens.first?.isKeyword("VARVE_DATE") == true
    if isCall {
      guard tokens.dropFirst().first == .sign("(") else { return nil }
      tokens = tokens.dropFirst(2)
    }
    var text: String
    switch tokens.popFirst() {
    case .text(let literal)?: text = literal
    case .sign("?")?:
      guard case .string(let value)? = values.popFirst() else { return nil }
      text = value
    default: return nil
    }
    if isCall {
      guard tokens.popFirst() == .sign(")"), let date = DateReader.read(text),
        let shown = SQLDate.text(date)
      else { return nil }
      text = shown
    }
    rest = tokens
    return period(text)
  }

  /// Returns the year, the month or the day with which a text begins, widened by a second, as texts
  /// are rounded.
  private static func period(_ text: String) -> ClosedRange<Double>? {
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.map { part in part.utf8.allSatisfy { (48...57).contains($0) } ? part : "" }
    guard (1...3).contains(numbers.count), numbers[0].utf8.count == 4, let year = Int(numbers[0]),
      numbers.dropFirst().allSatisfy({ $0.utf8.count == 2 })
    else { return nil }
    let month = numbers.count > 1 ? Int(numbers[1]) : nil
    let day = numbers.count > 2 ? Int(numbers[2]) : nil
    guard numbers.count == 3 || text.utf8.count == parts.joined(separator: "-").utf8.count,
      let first = CivilDate(year: year, month: month ?? 1, day: day ?? 1)
    else { return nil }
    let length = day != nil ? 1 : month != nil ? 31 : 366
    let start = Int64(first.daysSince1970) * 86_400 - DateReader.secondsToReferenceDate
    return Double(start - 1)...Double(start + Int64(length) * 86_400 + 1)
  }
}

/// `SELECT … FROM table WHERE …` without further queries.
private struct SimpleSelection {
  /// The tokens of the condition.
  let condition: ArraySlice<SQLToken>
  /// The number of placeholders before it.
  let earlierPlaceholderCount: Int

  private static let others = [
    "UNION", "EXCEPT", "INTERSECT", "WITH", "JOIN", "CASE", "OR", "NOT", "COLLATE",
  ]
  private static let ends = ["GROUP", "ORDER", "LIMIT", "HAVING", "WINDOW"]

  /// - Parameter table: the name of the type.
  init?(_ sql: SQLText, from table: String) {
    let tokens = SQLToken.tokens(of: sql.sql)
    guard tokens.count(where: { $0.isKeyword("SELECT") }) == 1,
      !tokens.contains(where: { token in Self.others.contains(where: token.isKeyword) }),
      var rest = Self.after("FROM", in: tokens[...]),
      rest.popFirst()?.name.map({ FoldedName($0) }) == FoldedName(table)
    else { return nil }
    if rest.first?.isKeyword("AS") == true { rest = rest.dropFirst() }
    if rest.first?.isKeyword("WHERE") == false {
      guard rest.popFirst()?.name != nil else { return nil }
    }
    guard rest.popFirst()?.isKeyword("WHERE") == true else { return nil }
    let end = Self.index(in: rest) { token in
      token == .sign(";") || Self.ends.contains(where: token.isKeyword)
    }
    condition = rest[..<(end ?? rest.endIndex)]
    guard !condition.isEmpty else { return nil }
    earlierPlaceholderCount = tokens[..<condition.startIndex].count { $0 == .sign("?") }
    guard !Self.hasNamedPlaceholders(tokens) else { return nil }
  }

  /// Whether placeholders have numbers or names, so that their values are not in their order.
  private static func hasNamedPlaceholders(_ tokens: [SQLToken]) -> Bool {
    zip(tokens, tokens.dropFirst()).contains { token, next in
      guard case .word(let word) = next else { return token == .sign(":") || token == .sign("@") }
      return word.hasPrefix("$")
        || token == .sign("?") && word.utf8.allSatisfy { (48...57).contains($0) }
    }
  }

  private static func after(
    _ keyword: String,
    in tokens: ArraySlice<SQLToken>
  ) -> ArraySlice<SQLToken>? {
    index(in: tokens) { $0.isKeyword(keyword) }.map { tokens[($0 + 1)...] }
  }

  /// Returns the first token outside of parentheses that satisfies a predicate.
  private static func index(
    in tokens: ArraySlice<SQLToken>,
    where predicate: (SQLToken) -> Bool
  ) -> Int? {
    var depth = 0
    return tokens.indices.first { index in
      depth += tokens[index] == .sign("(") ? 1 : tokens[index] == .sign(")") ? -1 : 0
      return depth == 0 && predicate(tokens[index])
    }
  }
}
