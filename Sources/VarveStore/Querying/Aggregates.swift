import Foundation
public import VarveCore

/// Something worked out of the models of a query: how many, a sum, the least.
///
/// ```swift
/// let byColor = try await store.aggregate(Hat.all, by: \.color, .count, .maximum(\.brimSize))
/// for group in byColor { print(group.key, group.values.0, group.values.1 ?? 0) }
/// ```
public struct Aggregate<Model: Persistable, Result: Sendable>: Sendable {
  let aggregation: Aggregation
  let take: @Sendable (Value?) -> Result

  init(
    _ function: Aggregation.Function,
    _ field: Field?,
    kind: Value.Kind? = nil,
    _ take: @escaping @Sendable (Value?) -> Result
  ) {
    aggregation = Aggregation(function, of: field, kind: kind)
    self.take = take
  }
}

extension Aggregate where Result == Int {
  /// How many rows.
  public static var count: Aggregate {
    Aggregate(.count, nil) { Int($0?.intValue ?? 0) }
  }

  /// How many rows have a value.
  public static func count<V>(_ keyPath: KeyPath<Model, V>) -> Aggregate {
    Aggregate(.count, Model.schema.queried(keyPath)) { Int($0?.intValue ?? 0) }
  }
}

extension Aggregate where Result == Double? {
  /// The mean of the numbers; nil of none.
  public static func average<V>(_ keyPath: KeyPath<Model, V>) -> Aggregate {
    Aggregate(.average, Model.schema.queried(keyPath)) { $0?.doubleValue }
  }
}

extension Aggregate {
  /// The sum of the numbers; nil of none. Integers whose sum has more than 64 bits are
  /// `valueTooLarge`.
  public static func sum<V: PropertyValue & Numeric>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.sum, keyPath)
  }

  /// The sum of the numbers that are there; nil of none.
  public static func sum<V: PropertyValue & Numeric>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.sum, keyPath)
  }

  /// The least value; nil of none.
  public static func minimum<V: PropertyValue & Comparable>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath)
  }

  /// The least value that is there; nil of none.
  public static func minimum<V: PropertyValue & Comparable>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath)
  }

  /// The greatest value; nil of none.
  public static func maximum<V: PropertyValue & Comparable>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath)
  }

  /// The greatest value that is there; nil of none.
  public static func maximum<V: PropertyValue & Comparable>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath)
  }

  private static func of<V: PropertyValue>(
    _ function: Aggregation.Function,
    _ keyPath: PartialKeyPath<Model>
  ) -> Aggregate where Result == V? {
    Aggregate(function, Model.schema.queried(keyPath), kind: kind(of: V.self)) {
      $0.flatMap(V.init(propertyValue:))
    }
  }

  /// The kind that values of a type are stored as, where all are of one.
  private static func kind<V>(of type: V.Type) -> Value.Kind? {
    switch type {
    case is any BinaryInteger.Type: .int
    case is any BinaryFloatingPoint.Type: .double
    case is String.Type: .string
    case is Date.Type: .date
    case is Bool.Type: .bool
    default: nil
    }
  }
}

/// What was worked out of the models that have one property in common.
public struct AggregateGroup<Key: Sendable, Values: Sendable>: Sendable {
  /// What they have in common; nil where they have no value, or one of another kind.
  public let key: Key?
  /// What was asked for, in that order.
  public let values: Values
}

extension Reading {
  /// Works one thing out of the rows of a query, its window respected. Values of another kind than the
  /// property's do not count.
  public func aggregate<Model, Result>(
    _ query: TypedQuery<Model>,
    _ aggregate: Aggregate<Model, Result>
  ) async throws -> Result {
    let rows = try await self.aggregate(query.erased, by: [], [aggregate.aggregation])
    return aggregate.take(rows.first?.values.first ?? nil)
  }

  /// Works something out of the rows of a query, its window respected. Values of another kind than the
  /// property's do not count.
  ///
  /// - Complexity: O(rows looked at), in the database where its columns hold values of one kind.
  public func aggregate<Model, each Result>(
    _ query: TypedQuery<Model>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> (repeat each Result) {
    let rows = try await aggregate(query.erased, by: [], list(repeat each aggregates))
    let values = rows.first?.values ?? []
    return unpack(values, repeat each aggregates)
  }

  /// Works something out of each group of rows that have a property in common, in order of it.
  public func aggregate<Model, Key: PropertyValue, each Result>(
    _ query: TypedQuery<Model>,
    by keyPath: KeyPath<Model, Key>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [AggregateGroup<Key, (repeat each Result)>] {
    let field = Model.schema.queried(keyPath)
    let rows = try await aggregate(query.erased, by: [field], list(repeat each aggregates))
    return rows.map { row in
      AggregateGroup(
        key: row.keys[0].flatMap(Key.init(propertyValue:)),
        values: unpack(row.values, repeat each aggregates)
      )
    }
  }

  /// Works something out of the rows of a query, for each group that has the same values of some
  /// fields, in order of these; of all rows together where none is named.
  public func aggregate(
    _ query: Query,
    by keys: [Field] = [],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    try await reading { try await $0.backend.aggregate(query, by: keys, aggregations) }
  }

  private func list<Model, each Result>(
    _ aggregates: repeat Aggregate<Model, each Result>
  ) -> [Aggregation] {
    var list: [Aggregation] = []
    for aggregate in repeat each aggregates { list.append(aggregate.aggregation) }
    return list
  }

  private func unpack<Model, each Result>(
    _ values: [Value?],
    _ aggregates: repeat Aggregate<Model, each Result>
  ) -> (repeat each Result) {
    var position = 0
    func next<R>(_ aggregate: Aggregate<Model, R>) -> R {
      defer { position += 1 }
      return aggregate.take(position < values.count ? values[position] : nil)
    }
    return (repeat next(each aggregates))
  }
}
