/// A JSON document as a value (RFC 8259): integers apart from fractions, members in order.
enum JSON: Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case fraction(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// One member of an object.
  struct Member: Hashable {
    let name: String
    let value: JSON
  }

  /// The value of a member; nil where there is none or this is no object.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text, or null.
  static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(stringLiteral value: String) { self = .string(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}

extension JSON {
  /// An integer of any size that fits.
  static func count(_ count: Int) -> JSON { .integer(Int64(count)) }
}
