import VarveCore

/// The error for a group whose key is not a value of the property's type.
struct UnreadableKey: Error {
  /// The place of the key among those of the group.
  let position: Int
  let value: Value?

  /// Returns the error as users see it.
  func described(of type: EntityType, by fields: [Field]) -> VarveError {
    let key = fields[position].key
    let name = key.map { "\"\($0)\"" } ?? "the key"
    return VarveError(
      value == nil ? .missingField : .fieldType,
      value.map { "\(name) of a group is \($0.kind.name), which the property's type cannot be" }
        ?? "a group of rows has no \(name)",
      at: "query of \"\(type)\"",
      remedy: "Declare the property optional, or leave such rows out by a condition.",
      property: key
    )
  }
}

extension Value? {
  /// Returns the key of a group as a value of the property's type; nil for an optional property if
  /// it is missing or of another kind.
  func key<K>(_ stored: StoredForm<K>?, at position: Int) throws -> K {
    if let key = flatMap({ stored?.instance($0) }) ?? stored?.nothing { return key }
    throw UnreadableKey(position: position, value: self)
  }
}

extension Field {
  /// The property, if the field is one.
  fileprivate var key: PropertyKey? {
    switch self {
    case .property(let key), .firstOf(let key, _): key
    case .decimal(let field): field.key
    default: nil
    }
  }
}
