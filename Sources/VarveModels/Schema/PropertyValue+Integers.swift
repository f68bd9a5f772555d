public import VarveCore

/// Integers of all sizes are stored as 64-bit integers. A `UInt64` beyond their range cannot be
/// stored.
extension PropertyValue where Self: FixedWidthInteger {
  /// The integer; nil if it is out of range.
  @inlinable
  public var propertyValue: Value? { Int64(exactly: self).map { .int($0) } }

  /// Creates an integer if the value is one in the type's range.
  public init?(propertyValue value: Value) {
    guard let number = value.intValue, let exact = Self(exactly: number) else { return nil }
    self = exact
  }

  /// Returns the integer at a position.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Self? {
    guard let number = try row.int(at: position) else { return nil }
    if let exact = Self(exactly: number) { return exact }
    throw row.mismatch(at: position, .int(number), wanted: "\(Self.self)")
  }
}

extension Int: PropertyValue {}
extension Int8: PropertyValue {}
extension Int16: PropertyValue {}
extension Int32: PropertyValue {}
extension Int64: PropertyValue {}
extension UInt: PropertyValue {}
extension UInt8: PropertyValue {}
extension UInt16: PropertyValue {}
extension UInt32: PropertyValue {}
extension UInt64: PropertyValue {}

extension Float: PropertyValue {
  /// The number as a double.
  public var propertyValue: Value? { .double(Double(self)) }
  /// Creates a float if the value is a number.
  public init?(propertyValue value: Value) {
    guard let number = Double(propertyValue: value) else { return nil }
    self = Float(number)
  }
}
