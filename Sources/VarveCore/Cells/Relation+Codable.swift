import Foundation

/// An object with `kind`, which is `owns`, `free` or `member`, and `name`.
extension Relation: Codable {
  private enum Member: String, CodingKey { case kind, name }

  /// Decodes a relation.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    let name = try container.decode(String.self, forKey: .kind)
    guard let kind = Kind.allCases.first(where: { "\($0)" == name }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind,
        in: container,
        debugDescription: "\"\(name)\" is not a kind of relation"
      )
    }
    self.init(kind, try container.decode(PropertyKey.self, forKey: .name))
  }

  /// Encodes a relation.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode("\(kind)", forKey: .kind)
    try container.encode(name, forKey: .name)
  }
}

/// The bytes, as the encoder writes data.
extension ListPosition: Codable {
  /// Decodes the bytes.
  ///
  /// - Throws: `DecodingError` if there are none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let bytes = try container.decode(Data.self)
    guard !bytes.isEmpty else { throw container.corrupted("a position has at least one byte") }
    self.init(bytes: Array(bytes))
  }

  /// Encodes the bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Data(bytes))
  }
}

/// An object with `key`, `end`, which is `source` or `target`, and `isVoid`.
extension Pairing: Codable {
  private enum Member: String, CodingKey { case key, end, isVoid }

  /// Decodes a pairing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    let name = try container.decode(String.self, forKey: .end)
    guard let end = [End.source, .target].first(where: { "\($0)" == name }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .end,
        in: container,
        debugDescription: "\"\(name)\" is not an end of an edge"
      )
    }
    self.init(
      try container.decode(PropertyKey.self, forKey: .key),
      at: end,
      isVoid: try container.decode(Bool.self, forKey: .isVoid)
    )
  }

  /// Encodes a pairing.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(key, forKey: .key)
    try container.encode("\(end)", forKey: .end)
    try container.encode(isVoid, forKey: .isVoid)
  }
}
