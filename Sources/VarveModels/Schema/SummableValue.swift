public import Foundation

/// A property type whose values can be added up.
///
/// The number types of Swift and Foundation conform; your own type only needs to declare the
/// conformance.
public protocol SummableValue: PropertyValue, Numeric {
  /// The type of a sum, which is wide enough for many values.
  associatedtype Sum: PropertyValue = Self
  /// The type of a mean.
  associatedtype Mean: PropertyValue = Double
}

extension Int: SummableValue {}

extension Int8: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension Int16: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension Int32: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension Int64: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension UInt: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension UInt8: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension UInt16: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension UInt32: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension UInt64: SummableValue {
  /// Sums have 64 bits.
  public typealias Sum = Int
}

extension Float: SummableValue {
  /// Sums are doubles.
  public typealias Sum = Double
}

extension Double: SummableValue {}

extension Decimal: SummableValue {
  /// Means are decimal numbers too.
  public typealias Mean = Decimal
}
