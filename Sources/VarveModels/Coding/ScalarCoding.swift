import Foundation
import VarveCore

/// A type that is coded as a single value, whatever its `Codable` conformance does.
protocol ScalarCoding {
  /// The value for this instance; nil if there is none.
  var scalar: Value? { get }
  /// Creates an instance from a value; nil if the value is not one of this type's.
  init?(scalar: Value)
  /// Creates an instance from a value of an SQL column, if the type has another form there.
  init?(column: Value)
  /// The expected kind of value, for errors.
  static var expectation: String { get }
}

extension ScalarCoding {
  init?(column: Value) { return nil }
}

extension Bool: ScalarCoding {
  init?(column: Value) {
    guard let number = column.intValue, number == 0 || number == 1 else { return nil }
    self = number == 1
  }
  var scalar: Value? { .bool(self) }
  init?(scalar: Value) {
    guard let value = scalar.boolValue else { return nil }
    self = value
  }
  static var expectation: String { "a boolean" }
}

extension String: ScalarCoding {
  var scalar: Value? { .string(self) }
  init?(scalar: Value) {
    guard let value = scalar.stringValue else { return nil }
    self = value
  }
  static var expectation: String { "a string" }
}

extension Date: ScalarCoding {
  init?(column: Value) {
    if let text = column.stringValue {
      guard let date = DateReader.read(text) else { return nil }
      self = date
      return
    }
    guard let seconds = column.doubleValue ?? column.intValue.map(Double.init) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
  var scalar: Value? { .date(self) }
  init?(scalar: Value) {
    guard let value = scalar.dateValue else { return nil }
    self = value
  }
  static var expectation: String { "a date" }
}

extension Data: ScalarCoding {
  var scalar: Value? { .data(self) }
  init?(scalar: Value) {
    guard let value = scalar.dataValue else { return nil }
    self = value
  }
  static var expectation: String { "data" }
}

extension EntityID: ScalarCoding {
  init?(column: Value) {
    switch column {
    case .string(let text):
      guard let id = try? EntityID(text) else { return nil }
      self = id
    case .data(let bytes): self.init(uuid: bytes)
    default: return nil
    }
  }

  /// Creates an identifier from the bytes of a UUID.
  private init?(uuid bytes: Data) {
    guard let uuid = UUID(column: .data(bytes)),
      let id = try? EntityID(uuid.uuidString.lowercased())
    else { return nil }
    self = id
  }
  var scalar: Value? { .reference(self) }
  init?(scalar: Value) {
    guard let value = scalar.referenceValue else { return nil }
    self = value
  }
  static var expectation: String { "a reference to an entity" }
}

extension URL: ScalarCoding {
  var scalar: Value? { .string(absoluteString) }
  init?(scalar: Value) {
    guard let text = scalar.stringValue else { return nil }
    self.init(string: text)
  }
  static var expectation: String { "a string that is a URL" }
}

extension UUID: ScalarCoding {
  init?(column: Value) {
    guard let bytes = column.dataValue, bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  var scalar: Value? { .string(uuidString) }
  init?(scalar: Value) {
    guard let text = scalar.stringValue else { return nil }
    self.init(uuidString: text)
  }
  static var expectation: String { "a string that is a UUID" }
}

extension Decimal: ScalarCoding {
  init?(column: Value) {
    switch column {
    case .int(let number): self.init(number)
    case .double(let number) where number.isFinite: self.init(scalar: .string("\(number)"))
    default: return nil
    }
  }
  var scalar: Value? { .string(description) }
  init?(scalar: Value) {
    guard let text = scalar.stringValue else { return nil }
    // Foundation parses a prefix ("12 hats" as 12), and does not parse NaN.
    if text == "NaN" {
      self = .nan
    } else if text.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil {
      self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    } else {
      return nil
    }
  }
  static var expectation: String { "a string that is a decimal number" }
}
