import VarveCore

/// Decodes one value, which may be missing.
struct ValueSource: Decoder {
  /// The value; nil if it is missing.
  let value: Value?
  let place: CodingPlace
  /// The number of enclosing decoder calls.
  let calls: Int
  /// Whether values have the kinds of SQL's columns.
  var isOfColumns = false

  var codingPath: [any CodingKey] { place.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let fields) = value else { throw mismatch(type, "a dictionary") }
    try refuseTooDeep()
    return KeyedDecodingContainer(KeyedSource(source: self, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([Any].self, "an array") }
    try refuseTooDeep()
    return UnkeyedSource(source: self, elements: elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleSource(source: self)
  }

  /// Returns the source for the value of a key.
  func inner(_ value: Value?, under key: any CodingKey) -> ValueSource {
    ValueSource(
      value: value,
      place: place.appending(key),
      calls: calls,
      isOfColumns: isOfColumns
    )
  }

  /// Decodes an instance from the value.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let scalar = type as? any ScalarCoding.Type {
      guard let thing = try decodeScalar(scalar) as? T else { throw mismatch(type, "\(type)") }
      return thing
    }
    guard calls < CodingPlace.mostCalls else {
      throw corrupted("types are nested in types more than \(CodingPlace.mostCalls) deep")
    }
    return try T(
      from: ValueSource(value: value, place: place, calls: calls + 1, isOfColumns: isOfColumns)
    )
  }

  private func decodeScalar<Scalar: ScalarCoding>(_ type: Scalar.Type) throws -> Scalar {
    let column = isOfColumns ? value.flatMap(Scalar.init(column:)) : nil
    guard let value, let scalar = Scalar(scalar: value) ?? column else {
      throw mismatch(type, Scalar.expectation)
    }
    return scalar
  }

  private func refuseTooDeep() throws {
    guard place.nesting < Value.maximumDepth else {
      throw corrupted("a value is nested more than \(Value.maximumDepth) deep")
    }
  }

  private func mismatch(_ type: Any.Type, _ expectation: String) -> DecodingError {
    guard let value else {
      return .valueNotFound(type, context("nothing is in the place of \(expectation)"))
    }
    return .typeMismatch(
      type,
      context("\(value.found) is in the place of \(expectation)")
    )
  }

  private func corrupted(_ reason: String) -> DecodingError { .dataCorrupted(context(reason)) }

  private func context(_ reason: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: reason)
  }
}

extension Value {
  /// A readable description: the kind and, for short scalars, the content.
  fileprivate var found: String {
    let article = "aei".contains(kind.name.first ?? " ") ? "an" : "a"
    switch self {
    case .bool, .int, .double, .date: return "the \(kind.name) \(self)"
    case .string(let text) where text.utf8.count <= 40: return "the string \"\(text)\""
    case .data: return "data"
    case .reference: return "a reference"
    default: return "\(article) \(kind.name)"
    }
  }
}
