public import Foundation
public import VarveCore

extension UUID: PropertyValue {
  /// The UUID as text, in lower case.
  public var propertyValue: Value? { .string(uuidString.lowercased()) }
  /// Takes a UUID in text, of either case.
  public init?(propertyValue value: Value) {
    guard let text = value.stringValue, let id = UUID(uuidString: text) else { return nil }
    self = id
  }
}

extension URL: PropertyValue {
  /// The absolute address as text.
  public var propertyValue: Value? { .string(absoluteString) }
  /// Takes a text that is an address.
  public init?(propertyValue value: Value) {
    guard let text = value.stringValue, let url = URL(string: text) else { return nil }
    self = url
  }
}

extension Decimal: PropertyValue {
  /// The number, not its text.
  public static var storedOrder: StoredOrder { .decimal }

  /// The number as text with all its digits; nil for NaN.
  public var propertyValue: Value? {
    isNaN ? nil : .string(NSDecimalNumber(decimal: self).stringValue)
  }
  /// Takes a text that is a number and nothing else, an integer, or a double by its shortest text.
  public init?(propertyValue value: Value) {
    guard let number = value.decimal, let decimal = Decimal(number) else { return nil }
    self = decimal
  }

  init?(_ number: DecimalNumber) {
    guard let (digits, exponent) = number.padded else { return nil }
    let text = (number.isNegative ? "-" : "") + "\(digits)e\(exponent)"
    self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}
