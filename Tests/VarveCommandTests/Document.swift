#if CommandLine && Server && YAML
/// A JSON document that was read, for tests to look into.
enum Document: Decodable, Hashable {
  case null
  case bool(Bool)
  case integer(Int)
  case fraction(Double)
  case string(String)
  case array([Document])
  case object([String: Document])

  /// The requested part does not exist.
  struct Missing: Error { let what: String }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .fraction(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([Document].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: Document].self))
    }
  }

  /// A member of an object.
  subscript(name: String) -> Document {
    get throws {
      guard case .object(let members) = self, let value = members[name] else {
        throw Missing(what: name)
      }
      return value
    }
  }

  /// An element of an array.
  subscript(index: Int) -> Document {
    get throws {
      guard case .array(let elements) = self, elements.indices.contains(index) else {
        throw Missing(what: "element \(index)")
      }
      return elements[index]
    }
  }

  /// The elements of an array; none for anything else.
  var elements: [Document] { if case .array(let elements) = self { elements } else { [] } }
}

extension Document: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(floatLiteral value: Double) { self = .fraction(value) }
  init(arrayLiteral elements: Document...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, Document)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
  }
}

extension Document {
  /// A whole number.
  var number: Int {
    get throws {
      guard case .integer(let number) = self else { throw Missing(what: "a number") }
      return number
    }
  }

  /// A text.
  var text: String {
    get throws {
      guard case .string(let text) = self else { throw Missing(what: "a text") }
      return text
    }
  }
}
#endif
