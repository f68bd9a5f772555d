public import VarveCore

/// The models of a query in groups that share the values of some properties. See
/// ``TypedQuery/grouped(by:)``.
public struct TypedGroups<Model: Persistable, each Key: Sendable>: Sendable {
  let query: TypedQuery<Model>
  let fields: [Field]
  /// How the values of the properties are stored.
  let stored: (repeat StoredForm<each Key>?)
  var condition: AggregateCondition?

  /// Returns the groups that also satisfy a condition on their aggregates.
  public func having(_ condition: ModelAggregateCondition<Model>) -> TypedGroups {
    var groups = self
    groups.condition = self.condition.map { $0 && condition.untyped } ?? condition.untyped
    return groups
  }
}

extension TypedQuery {
  /// Returns the models in groups that share the values of some properties.
  ///
  /// ```swift
  /// let groups = Hat.all.grouped(by: \.color, \.size).having(.count > 1)
  /// ```
  public func grouped<each Key: Sendable>(
    by keyPaths: repeat KeyPath<Model, each Key>
  ) -> TypedGroups<Model, repeat each Key> {
    var fields: [Field] = []
    for keyPath in repeat each keyPaths { fields.append(Model.schema.queried(keyPath)) }
    return TypedGroups(
      query: self,
      fields: fields,
      stored: (repeat Model.schema.stored(each keyPaths))
    )
  }
}

/// The results for the models that share the values of several properties.
public struct KeyedGroup<Keys: Sendable, Values: Sendable>: Sendable {
  /// The shared values, in the order of the properties. The value of an optional property is nil
  /// if it is missing or of another kind.
  public let keys: Keys
  /// The results, in the order of the aggregates.
  public let values: Values
}

/// A condition on the aggregates of groups of models: `.count > 3 && .sum(\.price) > 100`.
public struct ModelAggregateCondition<Model: Persistable>: Sendable {
  /// The condition without the model.
  public let untyped: AggregateCondition

  /// Both conditions hold.
  public static func && (
    left: ModelAggregateCondition,
    right: ModelAggregateCondition
  ) -> ModelAggregateCondition {
    ModelAggregateCondition(untyped: left.untyped && right.untyped)
  }
  /// At least one condition holds.
  public static func || (
    left: ModelAggregateCondition,
    right: ModelAggregateCondition
  ) -> ModelAggregateCondition {
    ModelAggregateCondition(untyped: left.untyped || right.untyped)
  }
  /// The condition does not hold.
  public static prefix func ! (condition: ModelAggregateCondition) -> ModelAggregateCondition {
    ModelAggregateCondition(untyped: !condition.untyped)
  }
}

/// A result that is missing, because a group has no values, satisfies no comparison with a value.
extension Aggregate {
  /// The result equals the value, or is missing if the value is nil.
  public static func == (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.equal, value)
  }
  /// The result differs from the value, or is any value if the value is nil.
  public static func != (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.notEqual, value)
  }
  /// The result is less than the value.
  public static func < (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.less, value)
  }
  /// The result is at most the value.
  public static func <= (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.lessOrEqual, value)
  }
  /// The result is greater than the value.
  public static func > (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.greater, value)
  }
  /// The result is at least the value.
  public static func >= (aggregate: Aggregate, value: Result) -> ModelAggregateCondition<Model> {
    aggregate.compare(.greaterOrEqual, value)
  }

  private func compare(
    _ comparison: Comparison,
    _ value: Result
  ) -> ModelAggregateCondition<Model> {
    // Results are numbers and other property values, or missing.
    guard let bound = (value as? any PropertyValue)?.propertyValue else {
      let isMissing = AggregateCondition.isMissing(aggregation)
      return switch comparison {
      case .equal: ModelAggregateCondition(untyped: isMissing)
      case .notEqual: ModelAggregateCondition(untyped: .not(isMissing))
      default: ModelAggregateCondition(untyped: .or([]))
      }
    }
    return ModelAggregateCondition(untyped: .compare(aggregation, comparison, bound))
  }
}
