public import VarveCore

/// The identifier of an entity of one model.
///
/// ```swift
/// struct Hat {
///   var id = Identifier<Hat>()  // fresh: a UUID of version 7
/// }
/// ```
public struct Identifier<Model>: Hashable, Sendable {
  /// The identifier without the model.
  public let entityID: EntityID

  /// A fresh identifier.
  public init() { entityID = .new() }

  /// The identifier of an entity taken for one of the model.
  public init(_ entityID: EntityID) { self.entityID = entityID }

  /// The identifier as text.
  public var text: String { entityID.text }
}

extension Identifier: CustomStringConvertible {
  /// The identifier as text.
  public var description: String { entityID.text }
}

extension Identifier: ExpressibleByStringLiteral {
  /// Wraps a literal; an illegal length is a programmer error and traps.
  public init(stringLiteral value: String) { entityID = EntityID(stringLiteral: value) }
}

extension Identifier: Comparable {
  /// Order of the texts' UTF-8 bytes.
  public static func < (left: Identifier, right: Identifier) -> Bool {
    left.entityID < right.entityID
  }
}

extension Identifier: Codable {
  /// Reads a text.
  ///
  /// - Throws: `DecodingError` where it is no legal identifier.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = try? EntityID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "an identifier has 1 to \(EntityID.maximumByteCount) bytes"
      )
    }
    self.init(id)
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
