public import Foundation
public import VarveCore

/// A Swift type that a property can have.
///
/// ```swift
/// struct Celsius: PropertyValue {
///   var degrees: Double
///   var propertyValue: Value? { .double(degrees) }
///   init(degrees: Double) { self.degrees = degrees }
///   init?(propertyValue: Value) {
///     guard let degrees = propertyValue.doubleValue else { return nil }
///     self.degrees = degrees
///   }
/// }
/// ```
///
/// Enumerations with raw values and `Codable` types need no conformance: macros and ``EntityRow``
/// read them directly.
public protocol PropertyValue: Sendable {
  /// The order in which queries compare values of the type. By default it is that of the stored
  /// values.
  static var storedOrder: StoredOrder { get }

  /// The stored value; nil if there is none.
  var propertyValue: Value? { get }

  /// Whether the property is absent, so that nothing is stored. If it is false and
  /// ``propertyValue`` is nil, saving throws an error.
  var isNothing: Bool { get }

  /// Creates an instance from a stored value; nil if the type cannot represent it.
  init?(propertyValue: Value)

  /// Reads an instance from a row; returns nil if the property is missing. The default
  /// implementation reads the stored value first.
  ///
  /// - Throws: ``VarveError`` with code `fieldType` if the value is of another kind.
  static func read(_ row: EntityRow, at position: Int) throws -> Self?
}

extension PropertyValue {
  /// The order of the stored values.
  public static var storedOrder: StoredOrder { .asStored }

  /// False.
  @inlinable
  public var isNothing: Bool { false }

  /// Reads the stored value and converts it.
  public static func read(_ row: EntityRow, at position: Int) throws -> Self? {
    guard let value = try row.value(at: position) else { return nil }
    if let read = Self(propertyValue: value) { return read }
    if let read = row.cursor.converted(position, value).flatMap(Self.init(propertyValue:)) {
      return read
    }
    throw row.mismatch(at: position, value, wanted: "\(Self.self)")
  }
}

extension String: PropertyValue {
  /// The text.
  @inlinable
  public var propertyValue: Value? { .string(self) }
  /// Creates a text from a string.
  public init?(propertyValue value: Value) {
    guard let text = value.stringValue else { return nil }
    self = text
  }
  /// Reads a text.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> String? {
    try row.string(at: position)
  }
}

extension Bool: PropertyValue {
  /// The truth value.
  @inlinable
  public var propertyValue: Value? { .bool(self) }
  /// Creates a truth value from a truth value, 0 or 1.
  public init?(propertyValue value: Value) {
    switch value {
    case .bool(let truth): self = truth
    case .int(0): self = false
    case .int(1): self = true
    default: return nil
    }
  }
  /// Reads a truth value.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Bool? {
    try row.bool(at: position)
  }
}

extension Double: PropertyValue {
  /// The number.
  @inlinable
  public var propertyValue: Value? { .double(self) }
  /// Creates a number from a number.
  public init?(propertyValue value: Value) {
    switch value {
    case .double(let number): self = number
    case .int(let number) where Int64(exactly: Double(number)) == number: self = Double(number)
    default: return nil
    }
  }
  /// Reads a number.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Double? {
    try row.double(at: position)
  }
}

extension Date: PropertyValue {
  /// The date.
  @inlinable
  public var propertyValue: Value? { .date(self) }
  /// Creates a date from a date or a text in ISO 8601.
  public init?(propertyValue value: Value) {
    switch value {
    case .date(let date): self = date
    case .string(let text):
      guard let date = ISO8601Text.date(text) else { return nil }
      self = date
    default: return nil
    }
  }
  /// Reads a date.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Date? {
    try row.date(at: position)
  }
}

extension Data: PropertyValue {
  /// The bytes.
  public var propertyValue: Value? { .data(self) }
  /// Creates data from data.
  public init?(propertyValue value: Value) {
    guard let data = value.dataValue else { return nil }
    self = data
  }
}

extension Optional: PropertyValue where Wrapped: PropertyValue {
  /// The order of the wrapped type.
  public static var storedOrder: StoredOrder { Wrapped.storedOrder }
  /// The wrapped instance's stored value, or nil.
  @inlinable
  public var propertyValue: Value? { flatMap(\.propertyValue) }
  /// Whether there is no wrapped value, or an absent one.
  @inlinable
  public var isNothing: Bool { self?.isNothing ?? true }
  /// Creates the wrapped instance from a stored value.
  @inlinable
  public init?(propertyValue value: Value) {
    guard let wrapped = Wrapped(propertyValue: value) else { return nil }
    self = wrapped
  }
  /// Reads an optional. A missing property is nil and not an error.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Wrapped?? {
    .some(try Wrapped.read(row, at: position))
  }
}
