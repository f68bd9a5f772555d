import VarveCore

/// The text of the identifier, whether the target is loaded or not.
extension Ref: Codable {
  /// Decodes a reference from an identifier. Its target is not loaded.
  ///
  /// - Throws: `DecodingError` if the text is not a legal identifier.
  public init(from decoder: any Decoder) throws {
    self.init(try Identifier<Target>(from: decoder))
  }

  /// Encodes the identifier.
  public func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
}

/// Inside a stored `Codable` value, a reference is stored as a reference.
extension Ref: ScalarCoding {
  var scalar: Value? { .reference(id.entityID) }
  init?(scalar: Value) { self.init(propertyValue: scalar) }
  static var expectation: String { "a reference to an entity" }
}

/// The list of the identifiers; null if the relation was neither loaded nor assigned.
extension Many: Codable {
  /// Decodes a relation. A list counts as assigned, so saving the model writes it; null does not.
  ///
  /// - Throws: `DecodingError` if a text is not a legal identifier.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self.init()
    } else {
      self.init(ids: try container.decode([Identifier<Target>].self))
    }
  }

  /// Encodes the identifiers.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let ids { try container.encode(ids) } else { try container.encodeNil() }
  }
}

extension KeyedDecodingContainer {
  /// Decodes a relation; one that is missing is not loaded.
  ///
  /// The code that the compiler writes for `Codable` structs calls this overload.
  public func decode<Target: Persistable>(
    _ type: Many<Target>.Type,
    forKey key: Key
  ) throws -> Many<Target> {
    try decodeIfPresent(type, forKey: key) ?? Many()
  }
}
