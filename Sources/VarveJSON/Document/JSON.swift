import VarveCore

/// A JSON document as a value (RFC 8259): integers are distinct from fractions, members are in
/// order.
public enum JSON: Hashable, Sendable {
  /// Null.
  case null
  /// A truth value.
  case bool(Bool)
  /// A number without a fraction and an exponent.
  case integer(Int64)
  /// Any other number.
  case fraction(Double)
  /// A text.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object.
  case object([Member])

  /// One member of an object.
  public struct Member: Hashable, Sendable {
    /// The member's name.
    public let name: String
    /// The member's value.
    public let value: JSON

    /// Creates a member.
    public init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }

    /// Returns whether the names have the same bytes, and the values are equal.
    public static func == (left: Member, right: Member) -> Bool {
      left.name.isSame(as: right.name) && left.value == right.value
    }
  }

  /// Returns whether two documents are equal. Texts and names are if their bytes are, also where
  /// Unicode calls other bytes equivalent.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.fraction(let left), .fraction(let right)): left == right
    case (.string(let left), .string(let right)): left.isSame(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// The value of a member; nil if there is none or this is not an object.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.isSame(as: name) }?.value
  }

  /// The kind of value, with an article.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .fraction: "a fraction"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// Creates an object with its members in the order written.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}

extension JSON {
  /// An integer.
  public static func count(_ count: Int) -> JSON { .integer(Int64(count)) }

  /// The text, or null.
  public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
}
