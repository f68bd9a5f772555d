public import Foundation

/// A property type whose values can be added up.
///
/// The numbers of Swift and Foundation are such types; one of your own need only say so.
public protocol SummableValue: PropertyValue, Numeric {
  /// What a sum is: wide enough for many.
  associatedtype Sum: PropertyValue = Self
  /// What a mean is.
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
