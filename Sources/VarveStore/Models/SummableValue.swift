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
extension Int8: SummableValue { public typealias Sum = Int }
extension Int16: SummableValue { public typealias Sum = Int }
extension Int32: SummableValue { public typealias Sum = Int }
extension Int64: SummableValue { public typealias Sum = Int }
extension UInt: SummableValue { public typealias Sum = Int }
extension UInt8: SummableValue { public typealias Sum = Int }
extension UInt16: SummableValue { public typealias Sum = Int }
extension UInt32: SummableValue { public typealias Sum = Int }
extension UInt64: SummableValue { public typealias Sum = Int }
extension Float: SummableValue { public typealias Sum = Double }
extension Double: SummableValue {}
extension Decimal: SummableValue { public typealias Mean = Decimal }
