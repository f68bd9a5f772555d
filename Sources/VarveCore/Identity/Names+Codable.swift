extension EntityType: Codable {
  /// Decodes the label.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the label.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A dictionary by keys is encoded as an object.
extension PropertyKey: Codable, CodingKeyRepresentable {
  /// Decodes the key.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Creates the key of an object's member.
  public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

  /// The key of an object's member.
  public var codingKey: any CodingKey { TextKey(stringValue: text) }

  /// Encodes the key.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension ReplicaID: Codable {
  /// Decodes a UUID.
  ///
  /// - Throws: `DecodingError` if the text is not a UUID in canonical form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = ReplicaID(try container.decode(String.self)) else {
      throw container.corrupted("a replica id is a UUID in canonical form")
    }
    self = id
  }

  /// Encodes the UUID in canonical form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension ContentDigest: Codable {
  /// Decodes 64 hexadecimal digits.
  ///
  /// - Throws: `DecodingError` if the text is anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = ContentDigest(hexadecimal: try container.decode(String.self)) else {
      throw container.corrupted("a digest has 64 hexadecimal digits")
    }
    self = digest
  }

  /// Encodes 64 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hexadecimal)
  }
}

extension HybridTime: Codable {
  /// Decodes an integer written as a text.
  ///
  /// - Throws: `DecodingError` if the text is not an integer of 64 bits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let rawValue = Int64(try container.decode(String.self)) else {
      throw container.corrupted("a time is a 64-bit integer as a text")
    }
    self.init(rawValue: rawValue)
  }

  /// Encodes the integer as a text, because JavaScript's numbers have 53 bits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(rawValue))
  }
}

/// The list of the heads.
extension Frontier: Codable {
  /// Decodes the heads.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([CommitID].self))
  }

  /// Encodes the heads.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(heads)
  }
}

extension SingleValueDecodingContainer {
  /// Returns the error for a text that is not what it should be.
  package func corrupted(_ expectation: String) -> DecodingError {
    .dataCorruptedError(in: self, debugDescription: expectation)
  }
}

/// A key of an object's member.
package struct TextKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { return nil }
}
