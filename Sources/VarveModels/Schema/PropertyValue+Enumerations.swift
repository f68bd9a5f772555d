public import VarveCore

/// Enumerations with raw values only need to declare the conformance. It is required if they are
/// elements of arrays, sets or dictionaries and are not `Codable`.
///
/// ```swift
/// enum Color: String, PropertyValue { case red, blue }
/// ```
extension PropertyValue where Self: RawRepresentable, RawValue: PropertyValue {
  /// As the raw value.
  public static var storedOrder: StoredOrder { RawValue.storedOrder }

  /// The stored raw value.
  public var propertyValue: Value? { rawValue.propertyValue }

  /// Takes a raw value of a case.
  public init?(propertyValue value: Value) {
    guard let rawValue = RawValue(propertyValue: value) else { return nil }
    self.init(rawValue: rawValue)
  }
}
