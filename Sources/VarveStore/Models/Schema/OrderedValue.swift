public import Foundation
public import VarveCore

/// A property type whose values queries put in the order the type itself has: what `<`, `between`,
/// ranges, minima and maxima take.
///
/// Numbers, dates, texts and identifiers are such types. A type of your own is one where its stored values
/// have its order; declare it then:
///
/// ```swift
/// extension Celsius: OrderedValue {}  // stored as a number, and compared by it
/// ```
///
/// An enumeration is stored as its raw value, and that is what queries compare: one whose cases have
/// another order than their raw values must not conform.
public protocol OrderedValue: PropertyValue, Comparable {}

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

/// Texts are compared by their UTF-8 bytes, as queries compare them.
extension String: OrderedValue {}

/// What queries compare of the values of a property type.
public enum StoredOrder: Hashable, Sendable {
  /// The stored value: numbers as numbers, texts by their bytes.
  case asStored
  /// The decimal number that a stored text says.
  case decimal
}
