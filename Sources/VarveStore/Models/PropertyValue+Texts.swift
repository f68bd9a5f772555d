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
  /// The number as text, every digit of it.
  /// Nil of what is not a number.
  public var propertyValue: Value? {
    isNaN ? nil : .string(NSDecimalNumber(decimal: self).stringValue)
  }
  /// Takes a number in text, or an integer.
  public init?(propertyValue value: Value) {
    switch value {
    case .string(let text):
      guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
        return nil
      }
      self = number
    case .int(let number): self = Decimal(number)
    default: return nil
    }
  }
}
