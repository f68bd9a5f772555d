/// What is worked out of the rows of a query, or of a group of them.
public struct Aggregation: Hashable, Sendable {
  /// How.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// How many rows, or how many that have a value.
    case count
    /// The sum of the numbers: an integer where all are; of decimal numbers the text of one.
    case sum
    /// Their mean, a double; of decimal numbers the text of one.
    case average = "avg"
    /// The least value.
    case minimum = "min"
    /// The greatest value.
    case maximum = "max"
  }

  /// How.
  public let function: Function
  /// Of what; nil for rows.
  public let field: Field?
  /// The kind of the values that count; nil for all. Doubles count integers too.
  public let kind: Value.Kind?
  /// The integers that count; nil for all.
  public let integers: ClosedRange<Int64>?

  /// Creates one.
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

/// What was worked out of one group of rows.
public struct AggregateRow: Hashable, Sendable {
  /// What the rows of the group have in common, in the order it was asked for; nil where it is
  /// missing.
  public let keys: [Value?]
  /// What was worked out, in the order it was asked for; nil of no values.
  public let values: [Value?]

  package init(keys: [Value?], values: [Value?]) {
    self.keys = keys
    self.values = values
  }
}

extension Aggregation {
  /// Works out of rows what SQL would.
  ///
  /// - Parameters:
  ///   - aggregations: what to work out.
  ///   - keys: what the rows of a group have in common.
  ///   - rows: the rows.
  ///   - counts: whether a value counts in one of the aggregations, given by its place.
  /// - Returns: groups in order of their keys; without keys one, even of no rows.
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
    let values = rows.compactMap { $0.value(of: field) }.filter { counts($0) && isCounted($0) }
    let key = { (value: Value) in field.comparand(of: value)?.sortKey ?? [] }
    switch function {
    case .count: return .int(Int64(values.count))
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
    var whole: Int128 = 0
    for value in values {
      switch value {
      case .int(let number): whole += Int128(number)
      case .double(let number) where !number.isNaN: return .double(numbers.reduce(0, +))
      default: continue
      }
    }
    guard let sum = Int64(exactly: whole) else { throw tooLarge }
    return .int(sum)
  }

  private static func mean(_ values: [Value]) -> Value? {
    let numbers = values.compactMap(\.number)
    return numbers.isEmpty ? nil : .double(numbers.reduce(0, +) / Double(numbers.count))
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

  /// What is thrown where a sum of integers is none.
  package static let tooLarge = VarveError(
    .valueTooLarge,
    "the sum of the integers has more than 64 bits",
    remedy: "Sum fewer of them, or ask for the average."
  )

  /// What is thrown where a sum of decimal numbers is none.
  private static let tooManyDigits = VarveError(
    .valueTooLarge,
    "the sum of the decimal numbers has more than 38 digits",
    remedy: "Sum fewer of them, or ask for the average."
  )
}

extension [Value] {
  /// The sum of the decimal numbers among them.
  fileprivate var sum: DecimalSum {
    reduce(into: DecimalSum()) { sum, value in value.decimal.map { sum.add($0) } }
  }
}

extension Value {
  /// The number, if this is one that counts.
  fileprivate var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number.isNaN ? nil : number
    default: nil
    }
  }
}
