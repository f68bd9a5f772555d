/// What is worked out of the rows of a query, or of a group of them.
public struct Aggregation: Hashable, Sendable {
  /// How.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// How many rows, or how many that have a value.
    case count
    /// The sum of the numbers: an integer where all are.
    case sum
    /// Their mean, a double.
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

  /// Creates one.
  public init(_ function: Function, of field: Field? = nil, kind: Value.Kind? = nil) {
    self.function = function
    self.field = field
    self.kind = kind
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
  /// Works out of entities what SQL would.
  ///
  /// - Returns: groups in order of their keys; without keys one, even of no entities.
  package static func evaluate(
    _ aggregations: [Aggregation],
    by keys: [Field],
    over entities: [Entity]
  ) throws -> [AggregateRow] {
    var groups: [[[UInt8]]: [Entity]] = keys.isEmpty ? [[]: []] : [:]
    for entity in entities {
      let key = keys.map { entity.value(of: $0)?.sortKey ?? [] }
      groups[key, default: []].append(entity)
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
        values: try aggregations.map { try $0.value(of: members) }
      )
    }
  }

  private func value(of entities: [Entity]) throws -> Value? {
    guard let field else { return .int(Int64(entities.count)) }
    let values = entities.compactMap { $0.value(of: field) }.filter(counts)
    switch function {
    case .count: return .int(Int64(values.count))
    case .sum: return try Self.sum(values)
    case .average:
      let numbers = values.compactMap(\.number)
      return numbers.isEmpty ? nil : .double(numbers.reduce(0, +) / Double(numbers.count))
    case .minimum: return values.filter { !$0.isNotComparable }.min(by: Self.precedes)
    case .maximum: return values.filter { !$0.isNotComparable }.max(by: Self.precedes)
    }
  }

  private func counts(_ value: Value) -> Bool {
    guard let kind else { return true }
    return value.kind == kind || (kind == .double && value.kind == .int)
  }

  private static func precedes(_ left: Value, _ right: Value) -> Bool {
    left.sortKey.lexicographicallyPrecedes(right.sortKey)
  }

  private static func sum(_ values: [Value]) throws -> Value? {
    var whole: Int64 = 0
    var isWhole = true
    for value in values {
      guard case .int(let number) = value else {
        if case .double(let number) = value, !number.isNaN { isWhole = false }
        continue
      }
      let (sum, overflows) = whole.addingReportingOverflow(number)
      if overflows, isWhole, !values.contains(where: { $0.kind == .double }) { throw tooLarge }
      whole = sum
    }
    let numbers = values.compactMap(\.number)
    guard !numbers.isEmpty else { return nil }
    return isWhole ? .int(whole) : .double(numbers.reduce(0, +))
  }

  /// What is thrown where a sum of integers is none.
  package static let tooLarge = VarveError(
    .valueTooLarge,
    "the sum of the integers has more than 64 bits",
    remedy: "Sum fewer of them, or ask for the average."
  )
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
