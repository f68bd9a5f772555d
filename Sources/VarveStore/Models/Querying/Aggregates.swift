import Foundation
public import VarveCore

/// A value computed from the models of a query, such as a count, a sum or a minimum.
///
/// ```swift
/// let byColor = try await store.aggregate(Hat.all, by: \.color, .count, .maximum(\.brimSize))
/// for group in byColor { print(group.key, group.values.0, group.values.1 ?? 0) }
/// ```
public struct Aggregate<Model: Persistable, Result: Sendable>: Sendable {
  let aggregation: Aggregation
  /// Converts a result to the property's type.
  ///
  /// - Throws: ``Unfit`` if that is not possible.
  let take: @Sendable (Value?) throws -> Result
  /// Returns whether the property can have a value.
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

/// The error if a result is not a value of the property's type.
private struct Unfit: Error {
  let value: Value
}

extension Aggregate where Result == Int {
  /// The number of rows.
  public static var count: Aggregate {
    Aggregate(.count, nil) { Int($0?.intValue ?? 0) }
  }

  /// Returns the number of rows with a value.
  public static func count<V>(_ keyPath: KeyPath<Model, V>) -> Aggregate {
    Aggregate(.count, Model.schema.queried(keyPath).stored) { Int($0?.intValue ?? 0) }
  }
}

extension Aggregate {
  /// Returns the sum of the numbers, or nil if there are none.
  ///
  /// Sums of integers have 64 bits, whatever the size of the property's type. A sum that overflows,
  /// or is not a value of the property's type, throws `valueTooLarge`.
  public static func sum<V: SummableValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V.Sum? {
    of(.sum, keyPath, V.self, number)
  }

  /// Returns the sum of the numbers that are not missing, or nil if there are none.
  ///
  /// Sums of integers have 64 bits, whatever the size of the property's type. A sum that overflows,
  /// or is not a value of the property's type, throws `valueTooLarge`.
  public static func sum<V: SummableValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V.Sum? {
    of(.sum, keyPath, V.self, number)
  }

  /// Returns the mean of the numbers, or nil if there are none. A decimal mean has at most 38
  /// digits.
  public static func average<V: SummableValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V.Mean? {
    of(.average, keyPath, V.self, number)
  }

  /// Returns the mean of the numbers that are not missing, or nil if there are none. A decimal mean
  /// has at most 38 digits.
  public static func average<V: SummableValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V.Mean? {
    of(.average, keyPath, V.self, number)
  }

  /// Converts a number. If the property is a double, a sum of integers is rounded if necessary.
  private static func number<R: PropertyValue>(_ value: Value) -> R? {
    R(propertyValue: value)
      ?? value.intValue.flatMap { R(propertyValue: .double(Double($0))) }
  }

  /// Returns the least value, or nil if there are none.
  public static func minimum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath, V.self, V.init(propertyValue:))
  }

  /// Returns the least value that is not missing, or nil if there are none.
  public static func minimum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.minimum, keyPath, V.self, V.init(propertyValue:))
  }

  /// Returns the greatest value, or nil if there are none.
  public static func maximum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath, V.self, V.init(propertyValue:))
  }

  /// Returns the greatest value that is not missing, or nil if there are none.
  public static func maximum<V: OrderedValue>(
    _ keyPath: KeyPath<Model, V?>
  ) -> Aggregate where Result == V? {
    of(.maximum, keyPath, V.self, V.init(propertyValue:))
  }

  /// Returns an aggregate of the values that the property's type can have.
  ///
  /// Values of another type, written by another version of a program, do not count. Fetches omit
  /// their rows too.
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

  /// Returns the kind in which values of a type are stored, if there is only one, and the range of
  /// integers among them.
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
  /// The range of 64-bit integers that the type can represent; nil for all.
  fileprivate static var storedRange: ClosedRange<Int64>? {
    let range = Int64(clamping: min)...Int64(clamping: max)
    return range == Int64.min...Int64.max ? nil : range
  }
}

/// The results for the models that share the value of a property.
public struct AggregateGroup<Key: Sendable, Values: Sendable>: Sendable {
  /// The shared value; nil if it is missing or of another kind.
  public let key: Key?
  /// The results, in the order of the aggregates.
  public let values: Values
}

extension Reading {
  /// Computes one aggregate over the rows of a query, within its limit and offset. Values that the
  /// property's type cannot have do not count.
  public func aggregate<Model, Result>(
    _ query: TypedQuery<Model>,
    _ aggregate: Aggregate<Model, Result>
  ) async throws -> Result {
    try await results(query, by: [], aggregate)[0].values
  }

  /// Computes aggregates over the rows of a query, within its limit and offset. Values that the
  /// property's type cannot have do not count.
  ///
  /// - Complexity: O(rows examined). The database does the work if each column holds values of one
  ///   kind and none is a decimal number.
  public func aggregate<Model, each Result>(
    _ query: TypedQuery<Model>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> (repeat each Result) {
    try await results(query, by: [], repeat each aggregates)[0].values
  }

  /// Computes aggregates for each group of rows that share the value of a property, in order of
  /// that value.
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

  /// Computes aggregates over the rows of a query for each group that shares the values of some
  /// fields, in order of these. Without fields there is one group of all rows.
  public func aggregate(
    _ query: Query,
    by keys: [Field] = [],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    try await reading { try await $0.backend.aggregate(query, by: keys, aggregations) }
  }

  /// Returns the database's results.
  ///
  /// The database also counts values that the property's type cannot have. If a result is such a
  /// value, the results are computed here, without those rows.
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
