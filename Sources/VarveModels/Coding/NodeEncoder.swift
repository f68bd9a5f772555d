import VarveCore

/// Encodes a value into a node.
struct NodeEncoder: Encoder {
  let node: EncodedNode
  /// The number of enclosing encoder calls.
  let calls: Int

  var codingPath: [any CodingKey] { node.place.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeDictionary()
    return KeyedEncodingContainer(KeyedNode(node: node, calls: calls))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedNode(node: node, calls: calls)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleNode(node: node, calls: calls)
  }
}

extension EncodedNode {
  /// Returns the scalar of a value, or nil if it must encode itself.
  func scalar(of value: some Encodable, under key: (any CodingKey)? = nil) throws -> Value? {
    guard let scalar = value as? any ScalarCoding else { return nil }
    if let value = scalar.scalar { return value }
    throw EncodingError.invalidValue(
      value,
      .init(
        codingPath: place.path + (key.map { [$0] } ?? []),
        debugDescription: "\(value) is greater than any integer value"
      )
    )
  }

  /// Lets a value encode itself into this node.
  func encode(_ value: some Encodable, calls: Int) throws {
    guard calls < CodingPlace.mostCalls else {
      throw failure("types are nested in types more than \(CodingPlace.mostCalls) deep")
    }
    unordered = (value as? any UnorderedCoding)?.unordered
    try value.encode(to: NodeEncoder(node: self, calls: calls + 1))
  }
}

/// A dictionary being encoded.
private struct KeyedNode<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let calls: Int

  var codingPath: [any CodingKey] { node.place.path }

  mutating func encodeNil(forKey key: Key) throws {
    try node.put(nil, under: PropertyKey(key.stringValue))
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if let value = try node.scalar(of: value, under: key) {
      return try node.put(value, under: PropertyKey(key.stringValue))
    }
    let inner = node.node(under: key)
    guard inner !== node else { throw node.tooDeep }
    try inner.encode(value, calls: calls)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(under: key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(under: key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder(under: PlainKey.superclass) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(under: key) }

  private func encoder(under key: any CodingKey) -> NodeEncoder {
    NodeEncoder(node: node.node(under: key), calls: calls)
  }
}

/// An array being encoded.
private struct UnkeyedNode: UnkeyedEncodingContainer {
  let node: EncodedNode
  let calls: Int

  var codingPath: [any CodingKey] { node.place.path }
  var count: Int { node.count }

  mutating func encodeNil() throws { throw node.nothing(at: count) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    if let value = try node.scalar(of: value, under: PlainKey.index(count)) {
      return try node.append(value)
    }
    let inner = node.nextNode()
    guard inner !== node else { throw node.tooDeep }
    try inner.encode(value, calls: calls)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nextEncoder().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nextEncoder().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nextEncoder() }

  private func nextEncoder() -> NodeEncoder { NodeEncoder(node: node.nextNode(), calls: calls) }
}

/// A single value being encoded.
private struct SingleNode: SingleValueEncodingContainer {
  let node: EncodedNode
  let calls: Int

  var codingPath: [any CodingKey] { node.place.path }

  mutating func encodeNil() throws { node.leaveOut() }

  mutating func encode<T: Encodable>(_ value: T) throws {
    if let value = try node.scalar(of: value) { return node.set(value) }
    try node.encode(value, calls: calls)
  }
}
