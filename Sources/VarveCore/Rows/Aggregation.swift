/// A value computed from the rows of a query, or from a group of them.
public struct Aggregation: Hashable, Sendable {
  /// The function of an aggregation.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// The number of rows, or of rows with a value.
    case count
    /// The number of values that differ from each other, as queries compare them.
    case countDistinct = "count_distinct"
    /// The sum of the numbers. It is an integer if all of them are; for decimal numbers it is a
    /// text.
    case sum
    /// The mean of the numbers, a double; for decimal numbers it is a text.
    case average = "avg"
    /// The least value.
    case minimum = "min"
    /// The greatest value.
    case maximum = "max"
  }

  /// The function.
  public let function: Function
  /// The field to aggregate, or nil for rows.
  public let field: Field?
  /// The kind of values that count, or nil for all. Doubles include integers.
  public let kind: Value.Kind?
  /// The range of integers that count, or nil for all.
  public let integers: ClosedRange<Int64>?

  /// Creates an aggregation.
  public init(
    _ function: Function,
    of field: Field? = nil,
    kind: Value.Kind? = nil,
    integers: ClosedRange<Int64>? = nil
  ) {
    self.function = function
    self.field = field
    self.kind = kind
    self.integers = integers
  }
}

/// The results for one group of rows.
public struct AggregateRow: Hashable, Sendable {
  /// The values that the rows of the group share, in the order of the keys; nil if missing.
  public let keys: [Value?]
  /// The results, in the order of the aggregations; nil if there are no values.
  public let values: [Value?]

  package init(keys: [Value?], values: [Value?]) {
    self.keys = keys
    self.values = values
  }
}

extension Aggregation {
  /// Computes aggregations over entities in memory, with the results that SQL has.
  ///
  /// - Parameters:
  ///   - aggregations: the aggregations to compute.
  ///   - keys: the fields to group by.
  ///   - entities: the rows.
  ///   - counts: returns whether a value counts in the aggregation with an index.
  /// - Returns: the groups in order of their keys. Without keys there is one group, even of no
  ///   entities.
  package static func evaluate(
    _ aggregations: [Aggregation],
    by keys: [Field],
    over rows: [FieldValues],
    counting counts: (Int, Value) -> Bool = { _, _ in true }
  ) throws -> [AggregateRow] {
    var groups: [[[UInt8]]: [FieldValues]] = keys.isEmpty ? [[]: []] : [:]
    for row in rows {
      let key = keys.map { row.comparand(of: $0)?.sortKey ?? [] }
      groups[key, default: []].append(row)
    }
    let order = groups.sorted { left, right in
      for (one, other) in zip(left.key, right.key) where one != other {
        return one.lexicographicallyPrecedes(other)
      }
      return false
    }
    return try order.map { _, members in
      AggregateRow(
        keys: keys.map { field in members.first?.value(of: field) },
        values: try aggregations.enumerated().map { place, aggregation in
          try aggregation.value(of: members) { counts(place, $0) }
        }
      )
    }
  }

  private func value(of rows: [FieldValues], _ isCounted: (Value) -> Bool) throws -> Value? {
    guard let field else { return .int(Int64(rows.count)) }
    return try result(of: rows.compactMap { $0.value(of: field) }.filter(isCounted))
  }

  /// Returns the result for the values of the field, as the field interprets them.
  package func result(of all: [Value]) throws -> Value? {
    guard let field else { return .int(Int64(all.count)) }
    let values = all.filter(counts)
    let key = { (value: Value) in field.comparand(of: value)?.sortKey ?? [] }
    switch function {
    case .count: return .int(Int64(values.count))
    case .countDistinct: return .int(Int64(Set(values.map(key)).count))
    case .sum: return try field.isDecimal ? Self.decimalSum(values) : Self.sum(values)
    case .average: return field.isDecimal ? Self.decimalMean(values) : Self.mean(values)
    case .minimum:
      return values.filter { !$0.isNotComparable }
        .min { key($0).lexicographicallyPrecedes(key($1)) }
    case .maximum:
      return values.filter { !$0.isNotComparable }
        .max { key($0).lexicographicallyPrecedes(key($1)) }
    }
  }

  private func counts(_ value: Value) -> Bool {
    if case .int(let number) = value, let integers, !integers.contains(number) { return false }
    guard let kind else { return true }
    return value.kind == kind || (kind == .double && value.kind == .int)
  }

  private static func sum(_ values: [Value]) throws -> Value? {
    let numbers = values.compactMap(\.number)
    guard !numbers.isEmpty else { return nil }
    guard let whole = wholeSum(values) else { return .double(numbers.reduce(0, +)) }
    guard let sum = Int64(exactly: whole) else { throw tooLarge }
    return .int(sum)
  }

  /// The mean of integers is that of their exact sum, rounded once.
  private static func mean(_ values: [Value]) -> Value? {
    let numbers = values.compactMap(\.number)
    guard !numbers.isEmpty else { return nil }
    let sum = wholeSum(values).map { Double($0) } ?? numbers.reduce(0, +)
    return .double(sum / Double(numbers.count))
  }

  /// Returns the exact sum of the integers; nil if other numbers are among them.
  private static func wholeSum(_ values: [Value]) -> Int128? {
    var whole: Int128 = 0
    for value in values {
      switch value {
      case .int(let number): whole += Int128(number)
      case .double(let number) where !number.isNaN: return nil
      default: continue
      }
    }
    return whole
  }

  private static func decimalSum(_ values: [Value]) throws -> Value? {
    let sum = values.sum
    guard sum.count > 0 else { return nil }
    guard let total = sum.total else { throw tooManyDigits }
    return .string(total.text)
  }

  private static func decimalMean(_ values: [Value]) -> Value? {
    values.sum.mean.map { .string($0.text) }
  }

  /// The error if a sum of integers overflows.
  package static let tooLarge = VarveError(
    .valueTooLarge,
    "the sum of the integers has more than 64 bits",
    remedy: "Sum fewer of them, or ask for the average."
  )

  /// The error if a sum of decimal numbers has too many digits.
  private static let tooManyDigits = VarveError(
    .valueTooLarge,
    "the sum of the decimal numbers has more than 38 digits",
    remedy: "Sum fewer of them, or ask for the average."
  )
}

extension Aggregation.Function {
  /// Whether the result is a number of rows or values.
  package var isCount: Bool { self == .count || self == .countDistinct }
}

extension [Value] {
  /// The sum of the decimal numbers among the values.
  fileprivate var sum: DecimalSum {
    reduce(into: DecimalSum()) { sum, value in value.decimal.map { sum.add($0) } }
  }
}

extension Value {
  /// The number, if the value is one that counts.
  fileprivate var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number.isNaN ? nil : number
    default: nil
    }
  }
}
