/// A condition on the groups of a query.
///
/// ```swift
/// let many = Aggregation(.count) > 3 && Aggregation(.sum, of: Field("price")) > 100
/// ```
///
/// It compares as a ``Condition`` does: a result that is missing, because a group has no values,
/// satisfies no comparison.
public indirect enum AggregateCondition: Hashable, Sendable {
  /// The result of an aggregation satisfies the comparison.
  case compare(Aggregation, Comparison, Value)
  /// The aggregation has no result.
  case isMissing(Aggregation)
  /// The condition does not hold.
  case not(AggregateCondition)
  /// All conditions hold.
  case and([AggregateCondition])
  /// At least one condition holds.
  case or([AggregateCondition])
}

extension AggregateCondition {
  /// Both conditions hold.
  public static func && (
    left: AggregateCondition,
    right: AggregateCondition
  ) -> AggregateCondition {
    .and(JoinedParts.of(left, right) { if case .and(let parts) = $0 { parts } else { nil } })
  }
  /// At least one condition holds.
  public static func || (
    left: AggregateCondition,
    right: AggregateCondition
  ) -> AggregateCondition {
    .or(JoinedParts.of(left, right) { if case .or(let parts) = $0 { parts } else { nil } })
  }
  /// The condition does not hold.
  public static prefix func ! (condition: AggregateCondition) -> AggregateCondition {
    .not(condition)
  }
}

extension Aggregation {
  /// The result equals the value.
  public static func == (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .equal, value)
  }
  /// The result is a comparable value that differs from the value.
  public static func != (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .notEqual, value)
  }
  /// The result is less than the value.
  public static func < (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .less, value)
  }
  /// The result is at most the value.
  public static func <= (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .lessOrEqual, value)
  }
  /// The result is greater than the value.
  public static func > (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .greater, value)
  }
  /// The result is at least the value.
  public static func >= (aggregation: Aggregation, value: Value) -> AggregateCondition {
    .compare(aggregation, .greaterOrEqual, value)
  }

  /// Returns the comparable form of a result.
  private func comparand(of result: Value) -> Value? {
    guard !function.isCount, let field else { return result }
    return field.comparand(of: result)
  }

  /// Returns whether a result satisfies a comparison, or nil if they do not compare.
  fileprivate func holds(_ result: Value?, _ comparison: Comparison, _ value: Value) -> Bool? {
    guard let result = result.flatMap(comparand), let value = comparand(of: value) else {
      return nil
    }
    return comparison.holds(result, value)
  }
}

extension AggregateCondition {
  /// The aggregations that the condition uses, in order.
  package var aggregations: [Aggregation] {
    switch self {
    case .compare(let aggregation, _, _), .isMissing(let aggregation): [aggregation]
    case .not(let inner): inner.aggregations
    case .and(let parts), .or(let parts): parts.flatMap(\.aggregations)
    }
  }

  /// Returns whether the results of a group satisfy the condition, with SQL's three truth values.
  package func holds(for results: [Aggregation: Value?]) -> Bool? {
    switch self {
    case .compare(let aggregation, let comparison, let value):
      return aggregation.holds(results[aggregation] ?? nil, comparison, value)
    case .isMissing(let aggregation): return (results[aggregation] ?? nil) == nil
    case .not(let inner): return inner.holds(for: results).map { !$0 }
    case .and(let parts):
      let answers = parts.map { $0.holds(for: results) }
      return answers.contains(false) ? false : (answers.contains(nil) ? nil : true)
    case .or(let parts):
      let answers = parts.map { $0.holds(for: results) }
      return answers.contains(true) ? true : (answers.contains(nil) ? nil : false)
    }
  }
}
