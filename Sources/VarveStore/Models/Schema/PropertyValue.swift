public import Foundation
public import VarveCore

/// A Swift type a property can have.
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
/// Enumerations with raw values and `Codable` types need no conformance: macros and
/// ``EntityRow`` read them as they are.
public protocol PropertyValue: Sendable {
  /// What queries compare of its values. The default is what is stored.
  static var storedOrder: StoredOrder { get }

  /// What is stored; nil for nothing.
  var propertyValue: Value? { get }

  /// Whether it is nothing, which is not stored; what else has no value to store is an error.
  var isNothing: Bool { get }

  /// Takes a stored value, or answers nil where it is none of the type's.
  init?(propertyValue: Value)

  /// Reads it from a row, or answers nil where there is nothing. The default goes by way of the
  /// value.
  ///
  /// - Throws: ``VarveError`` with code `fieldType` where something else stands there.
  static func read(_ row: EntityRow, at position: Int) throws -> Self?
}

extension PropertyValue {
  /// The stored value.
  public static var storedOrder: StoredOrder { .asStored }

  /// Something.
  @inlinable
  public var isNothing: Bool { false }

  /// Reads the value and takes it.
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
  /// Takes a string.
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
  /// Takes a truth value, or 0 or 1.
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
  /// Takes a number.
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
  /// Takes a date, or a text in ISO 8601.
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
  /// Takes data.
  public init?(propertyValue value: Value) {
    guard let data = value.dataValue else { return nil }
    self = data
  }
}

extension Optional: PropertyValue where Wrapped: PropertyValue {
  /// As what is wrapped.
  public static var storedOrder: StoredOrder { Wrapped.storedOrder }
  /// What is wrapped, or nothing.
  @inlinable
  public var propertyValue: Value? { flatMap(\.propertyValue) }
  /// Whether nothing is wrapped.
  @inlinable
  public var isNothing: Bool { self?.isNothing ?? true }
  /// Takes what the wrapped type takes.
  @inlinable
  public init?(propertyValue value: Value) {
    guard let wrapped = Wrapped(propertyValue: value) else { return nil }
    self = wrapped
  }
  /// Reads what the wrapped type reads; nothing is a value here.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Wrapped?? {
    .some(try Wrapped.read(row, at: position))
  }
}
