public import VarveCore

/// The identifier of an entity of one model.
///
/// ```swift
/// struct Hat {
///   var id = Identifier<Hat>()  // fresh: a UUID of version 7
/// }
/// ```
public struct Identifier<Model>: Hashable, Sendable {
  /// The untyped identifier.
  public let entityID: EntityID

  /// Creates a new identifier.
  public init() { entityID = .new() }

  /// Creates the model's identifier from an untyped one.
  public init(_ entityID: EntityID) { self.entityID = entityID }

  /// The text of the identifier.
  public var text: String { entityID.text }
}

extension Identifier: CustomStringConvertible {
  /// The text of the identifier.
  public var description: String { entityID.text }
}

extension Identifier: ExpressibleByStringLiteral {
  /// Creates an identifier from a literal. Traps if its length is illegal.
  public init(stringLiteral value: String) { entityID = EntityID(stringLiteral: value) }
}

extension Identifier: Comparable {
  /// Returns whether one identifier's text precedes the other's, by UTF-8 bytes.
  public static func < (left: Identifier, right: Identifier) -> Bool {
    left.entityID < right.entityID
  }
}

extension Identifier: Codable {
  /// Decodes an identifier from a string.
  ///
  /// - Throws: `DecodingError` if the string is not a legal identifier.
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

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
