public import Foundation
public import VarveCore

/// A property type whose values queries sort in the type's own order. It is required by `<`,
/// `between`, ranges, minima and maxima.
///
/// Numbers, dates, texts and identifiers conform. Declare the conformance of your own type if its
/// stored values have the order of the type:
///
/// ```swift
/// extension Celsius: OrderedValue {}  // stored as a number, and compared by it
/// ```
///
/// An enumeration is stored as its raw value, which queries compare. If its cases have another
/// order than their raw values, it must not conform.
public protocol OrderedValue: PropertyValue, Comparable, ComparedValue where Compared == Self {}

/// A property type whose values a query compares with those of another property. An optional
/// compares as the type it wraps.
public protocol ComparedValue {
  /// The type of the values that are not missing.
  associatedtype Compared: OrderedValue
}

extension Optional: ComparedValue where Wrapped: OrderedValue {
  /// The type of the values that are not missing.
  public typealias Compared = Wrapped
}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}
extension Float: OrderedValue {}
extension Double: OrderedValue {}
extension Decimal: OrderedValue {}
extension Date: OrderedValue {}
extension UUID: OrderedValue {}
extension EntityID: OrderedValue {}
extension Identifier: OrderedValue {}

/// Queries compare texts by their UTF-8 bytes.
extension String: OrderedValue {}

/// The order in which queries compare values of a property type.
public enum StoredOrder: Hashable, Sendable {
  /// The stored value: numbers as numbers, texts by their bytes.
  case asStored
  /// The decimal number that a stored text represents.
  case decimal
}
