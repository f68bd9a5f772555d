extension EntityID {
  /// Creates an identifier from a reference, or from a string that is an identifier.
  package init?(referenceIn value: Value) {
    switch value {
    case .reference(let id): self = id
    case .string(let text):
      guard let id = try? EntityID(text) else { return nil }
      self = id
    default: return nil
    }
  }
}
