import VarveCore

/// Validates names. A name is any text up to a maximum length.
package enum Names {
  /// The maximum length of the name of a type, property, relation or semantic type, in UTF-8 bytes.
  package static let maximumByteCount = 65_536

  static func validate(_ text: String, as what: @autoclosure () -> String) throws {
    let count = text.utf8.count
    guard count > maximumByteCount else { return }
    throw VarveError(
      .invalidArgument,
      "\(what()) has \(count) bytes",
      at: "\"\(text.prefix(40))…\"",
      remedy: "Use at most \(maximumByteCount) bytes."
    )
  }

  static func validate(_ type: EntityType) throws { try validate(type.text, as: "a type") }

  static func validate(_ key: PropertyKey) throws { try validate(key.text, as: "a property key") }

  static func validate(semanticType: String, of key: PropertyKey) throws {
    guard !semanticType.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "a semantic type is empty",
        at: "property \(key)",
        remedy: "Omit it; the name of the value's kind is used instead."
      )
    }
    try validate(semanticType, as: "a semantic type")
  }

  /// Validates a property's key, value and semantic type before it is written.
  static func validate(_ key: PropertyKey, _ property: StoredEntity.Property) throws {
    try validate(key)
    try validate(semanticType: property.semanticType, of: key)
    try property.value.validate(at: "property \(key)")
  }
}
