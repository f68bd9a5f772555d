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
  /// What the property's type makes of the value.
  ///
  /// - Throws: ``Unfit`` where it cannot make anything of it.
  let take: @Sendable (Value?) throws -> Result
  /// Whether the property can have a value.
  var fits: @Sendable (Value) -> Bool = { _ in true }

  init(
    _ function: Aggregation.Function,
    _ field: Field?,
    kind: Value.Kind? = nil,
    integers: ClosedRange<Int64>? = nil,
    _ take: @escaping @Sendable (Value?) throws -> Result
  ) {
    aggregation = Aggregation(function, of: field, kind: kind, integers: integers)
    self.take = take
  }
}

/// Says that what was worked out is no value of the property's type.
private struct Unfit: Error {
  let value: Value
}

extension Aggregate where Result == Int {
  /// How many rows.
  public static var count: Aggregate {
    Aggregate(.count, nil) { Int($0?.intValue ?? 0) }
  }

  /// How many rows have a value.
  public static func count<V>(_ keyPath: KeyPath<Model, V>) -> Aggregate {
    Aggregate(.count, Model.schema.queried(keyPath).stored) { Int($0?.intValue ?? 0) }
  }
}

extension Aggregate {
  /// The sum of the numbers; nil of none. Sums of integers are of 64 bits, whatever their own size; one
  /// that has more, or is no value of its type, is `valueTooLarge`.
  public static func sum<V: SummableValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V.Sum? {
    of(.sum, keyPath, V.self, number)
  }

  /// The sum of the numbers that are there; nil of none. Sums of integers are of 64 bits, whatever their
  /// own size; one that has more, or is no value of its type, is `valueTooLarge`.
  public static func sum<V: SummableValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V.Sum? {
    of(.sum, keyPath, V.self, number)
  }

  /// The mean of the numbers; nil of none. That of decimal numbers has at most 38 digits.
  public static func average<V: SummableValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V.Mean? {
    of(.average, keyPath, V.self, number)
  }

  /// The mean of the numbers that are there; nil of none. That of decimal numbers has at most 38 digits.
  public static func average<V: SummableValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V.Mean? {
    of(.average, keyPath, V.self, number)
  }

  /// A sum of integers is a double where a property is one, rounded if need be.
  private static func number<R: PropertyValue>(_ value: Value) -> R? {
    R(propertyValue: value)
      ?? value.intValue.flatMap { R(propertyValue: .double(Double($0))) }
  }

  /// The least value; nil of none.
  public static func minimum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath, V.self, V.init(propertyValue:))
  }

  /// The least value that is there; nil of none.
  public static func minimum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath, V.self, V.init(propertyValue:))
  }

  /// The greatest value; nil of none.
  public static func maximum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath, V.self, V.init(propertyValue:))
  }

  /// The greatest value that is there; nil of none.
  public static func maximum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath, V.self, V.init(propertyValue:))
  }

  /// One over the values a type can have: what another version of a program wrote and the type cannot
  /// have does not count, as such rows are left out of what is fetched.
  private static func of<V: Sendable, R>(
    _ function: Aggregation.Function,
    _ keyPath: PartialKeyPath<Model>,
    _ type: V.Type,
    _ take: @escaping @Sendable (Value) -> R?
  ) -> Aggregate where Result == R? {
    let (kind, integers) = counted(type)
    let field = Model.schema.queried(keyPath)
    var aggregate = Aggregate(function, field, kind: kind, integers: integers) { value in
      guard let value else { return nil }
      guard let taken = take(value) else { throw Unfit(value: value) }
      return taken
    }
    aggregate.fits = { (V.self as? any PropertyValue.Type)?.fits($0) ?? true }
    return aggregate
  }

  /// The kind that values of a type are stored as, where all are of one, and the integers among them.
  private static func counted(_ type: Any.Type) -> (Value.Kind?, ClosedRange<Int64>?) {
    switch type {
    case let type as any OptionalProperty.Type: counted(type.wrapped)
    case let type as any FixedWidthInteger.Type: (.int, type.storedRange)
    case is any BinaryFloatingPoint.Type: (.double, nil)
    case is String.Type: (.string, nil)
    case is Date.Type: (.date, nil)
    case is Bool.Type: (.bool, nil)
    default: (nil, nil)
    }
  }
}

extension PropertyValue {
  fileprivate static func fits(_ value: Value) -> Bool { Self(propertyValue: value) != nil }
}

extension FixedWidthInteger {
  /// The integers of 64 bits that are of this type; nil for all.
  fileprivate static var storedRange: ClosedRange<Int64>? {
    let range = Int64(clamping: min)...Int64(clamping: max)
    return range == Int64.min...Int64.max ? nil : range
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
  /// Works one thing out of the rows of a query, its window respected. Values that the property's type
  /// cannot have do not count.
  public func aggregate<Model, Result>(
    _ query: TypedQuery<Model>,
    _ aggregate: Aggregate<Model, Result>
  ) async throws -> Result {
    try await results(query, by: [], aggregate)[0].values
  }

  /// Works something out of the rows of a query, its window respected. Values that the property's type
  /// cannot have do not count.
  ///
  /// - Complexity: O(rows looked at), in the database where its columns hold values of one kind and
  ///   none is a decimal number.
  public func aggregate<Model, each Result>(
    _ query: TypedQuery<Model>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> (repeat each Result) {
    try await results(query, by: [], repeat each aggregates)[0].values
  }

  /// Works something out of each group of rows that have a property in common, in order of it.
  public func aggregate<Model, Key: PropertyValue, each Result>(
    _ query: TypedQuery<Model>,
    by keyPath: KeyPath<Model, Key>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [AggregateGroup<Key, (repeat each Result)>] {
    let field = Model.schema.queried(keyPath)
    return try await results(query, by: [field], repeat each aggregates).map { row in
      AggregateGroup(
        key: row.keys[0].flatMap(Key.init(propertyValue:)),
        values: row.values
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

  /// What the database works out, or, where that is no value of a property's type because it counted
  /// one that is none, what is worked out of the others.
  private func results<Model, each Result>(
    _ query: TypedQuery<Model>,
    by keys: [Field],
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [(keys: [Value?], values: (repeat each Result))] {
    var list: [Aggregation] = []
    var fits: [@Sendable (Value) -> Bool] = []
    for aggregate in repeat each aggregates {
      list.append(aggregate.aggregation)
      fits.append(aggregate.fits)
    }
    return try await reading { [list, fits] state in
      let rows = try await state.backend.aggregate(query.erased, by: keys, list)
      do {
        return try rows.map { ($0.keys, try unpack($0.values, repeat each aggregates)) }
      } catch is Unfit {
        let looked = try await state.backend.rows(of: query.erased, for: list, by: keys)
        let counted = try Aggregation.evaluate(list, by: keys, over: looked) { fits[$0]($1) }
        do {
          return try counted.map { ($0.keys, try unpack($0.values, repeat each aggregates)) }
        } catch let error as Unfit {
          throw VarveError(
            .valueTooLarge,
            "the property's type has no value \(error.value)",
            at: "query of \"\(Model.schema.type)\"",
            remedy: "Sum fewer rows, or aggregate without the model."
          )
        }
      }
    }
  }

  private func unpack<Model, each Result>(
    _ values: [Value?],
    _ aggregates: repeat Aggregate<Model, each Result>
  ) throws -> (repeat each Result) {
    var position = 0
    func next<R>(_ aggregate: Aggregate<Model, R>) throws -> R {
      defer { position += 1 }
      return try aggregate.take(position < values.count ? values[position] : nil)
    }
    return (repeat try next(each aggregates))
  }
}
