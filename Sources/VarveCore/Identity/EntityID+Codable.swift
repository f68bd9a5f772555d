extension EntityID: Codable {
  /// Decodes an identifier's text.
  ///
  /// - Throws: ``VarveError`` with code `invalidIdentifier` if its length is not legal, or the
  ///   errors of the decoder.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the identifier's text. The encoder of `VarveStore` writes a reference instead.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
