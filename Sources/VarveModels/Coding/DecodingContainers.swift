import VarveCore

/// A dictionary being decoded.
struct KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let source: ValueSource
  let fields: [PropertyKey: Value]

  var codingPath: [any CodingKey] { source.codingPath }
  var allKeys: [Key] { fields.keys.sorted().compactMap { Key(stringValue: $0.text) } }

  func contains(_ key: Key) -> Bool { value(under: key) != nil }

  /// A missing key is nil; nil is not stored otherwise.
  func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let value = value(under: key)
    guard value != nil || type is any ExpressibleByNilLiteral.Type else { throw missing(key) }
    return try source.inner(value, under: key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try present(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try present(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = PlainKey.superclass
    return source.inner(fields[PropertyKey(key.stringValue)], under: key)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    source.inner(value(under: key), under: key)
  }

  private func value(under key: Key) -> Value? { fields[PropertyKey(key.stringValue)] }

  private func present(_ key: Key) throws -> ValueSource {
    guard let value = value(under: key) else { throw missing(key) }
    return source.inner(value, under: key)
  }

  private func missing(_ key: Key) -> DecodingError {
    .keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "nothing is stored under \(key.stringValue)")
    )
  }
}

/// An array being decoded.
struct UnkeyedSource: UnkeyedDecodingContainer {
  let source: ValueSource
  let elements: [Value]
  private(set) var currentIndex = 0

  init(source: ValueSource, elements: [Value]) {
    self.source = source
    self.elements = elements
  }

  var codingPath: [any CodingKey] { source.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  /// Arrays contain no nil.
  mutating func decodeNil() throws -> Bool {
    _ = try next(Never.self)
    return false
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let thing = try next(type).decode(type)
    currentIndex += 1
    return thing
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try next(type).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try next([Any].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try next((any Decoder).self)
    currentIndex += 1
    return decoder
  }

  /// Returns the next element, and advances once it could be decoded.
  private func next(_ type: Any.Type) throws -> ValueSource {
    let key = PlainKey.index(currentIndex)
    guard currentIndex < elements.count else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: codingPath + [key], debugDescription: "an array ends too soon")
      )
    }
    return source.inner(elements[currentIndex], under: key)
  }
}

/// A single value being decoded.
struct SingleSource: SingleValueDecodingContainer {
  let source: ValueSource

  var codingPath: [any CodingKey] { source.codingPath }

  func decodeNil() -> Bool { source.value == nil }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.decode(type) }
}
