import Foundation
import VarveCore

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
struct Unfit: Error {
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

  /// Returns the number of values that differ from each other, as queries compare them.
  public static func countDistinct<V>(_ keyPath: KeyPath<Model, V>) -> Aggregate {
    Aggregate(.countDistinct, Model.schema.queried(keyPath)) { Int($0?.intValue ?? 0) }
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
