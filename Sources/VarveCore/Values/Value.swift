public import Foundation

/// The value of a property.
///
/// Two values are equal if their canonical encodings are: `-0.0` differs from `0.0`, a NaN equals
/// itself, texts compare by their UTF-8 bytes, and `1` differs from `1.0`.
///
/// ```swift
/// let values: [Value] = ["red", 12, true, .date(.now), .reference("country/SZ")]
/// ```
public enum Value: Sendable {
  /// A truth value.
  case bool(Bool)
  /// A 64-bit signed integer.
  case int(Int64)
  /// An IEEE 754 double, preserved to the bit.
  case double(Double)
  /// Unicode text, unchanged and not normalised.
  case string(String)
  /// A date: Foundation's seconds since the reference date, preserved to the bit.
  case date(Date)
  /// Bytes. Empty data is a value.
  case data(Data)
  /// The identifier of an entity, which need not exist.
  case reference(EntityID)
  /// An ordered list of values.
  case array([Value])
  /// Values by key.
  case dictionary([PropertyKey: Value])

  /// The maximum size of a value, in bytes of its canonical encoding: 512 MiB.
  public static let maximumByteCount = 512 << 20

  /// The maximum nesting of arrays and dictionaries.
  public static let maximumDepth = 512

  /// The kind of a value, without its content. The raw value is its tag in every format.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// The kind of ``Value/bool(_:)``.
    case bool = 1
    /// The kind of ``Value/int(_:)``.
    case int = 2
    /// The kind of ``Value/double(_:)``.
    case double = 3
    /// The kind of ``Value/string(_:)``.
    case string = 4
    /// The kind of ``Value/date(_:)``.
    case date = 5
    /// The kind of ``Value/data(_:)``.
    case data = 6
    /// The kind of ``Value/reference(_:)``.
    case reference = 7
    /// The kind of ``Value/array(_:)``.
    case array = 8
    /// The kind of ``Value/dictionary(_:)``.
    case dictionary = 9

    /// The name in documents, and the semantic type of values that name none.
    public var name: String {
      switch self {
      case .bool: "boolean"
      case .int: "integer"
      case .double: "double"
      case .string: "string"
      case .date: "date"
      case .data: "data"
      case .reference: "entity"
      case .array: "array"
      case .dictionary: "dictionary"
      }
    }
  }

  /// The value's kind.
  public var kind: Kind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    case .date: .date
    case .data: .data
    case .reference: .reference
    case .array: .array
    case .dictionary: .dictionary
    }
  }
}

extension Value: Hashable {
  /// Returns whether the canonical encodings are equal.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqualFast(b.utf8)
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
    case (.data(let a), .data(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.dictionary(let a), .dictionary(let b)): a == b
    default: false
    }
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value): value.utf8.hashBytes(into: &hasher)
    case .date(let value): hasher.combine(value.bitPattern)
    case .data(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value)
    }
  }
}

extension Date {
  /// The bits of the seconds since the reference date.
  fileprivate var bitPattern: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Creates a double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Creates a dictionary. If a key is repeated, the last value counts.
  public init(dictionaryLiteral elements: (PropertyKey, Value)...) {
    self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
  }
}

extension Value: CustomStringConvertible {
  /// The value as text for people: strings unchanged, dates in ISO 8601, data as its size.
  public var description: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): value
    case .date(let value): value.formatted(.iso8601)
    case .data(let value): "\(value.count) bytes"
    case .reference(let value): value.text
    case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .dictionary(let fields):
      "{"
        + fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        .joined(separator: ", ") + "}"
    }
  }
}

extension Value {
  /// The text, if this is a string.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer, if this is one.
  public var intValue: Int64? { if case .int(let value) = self { value } else { nil } }
  /// The double, if this is one.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The truth value, if this is one.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The date, if this is one.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The bytes, if this is data.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The identifier, if this is a reference.
  public var referenceValue: EntityID? {
    if case .reference(let value) = self { value } else { nil }
  }
}
