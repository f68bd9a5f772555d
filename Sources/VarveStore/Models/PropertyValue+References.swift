public import VarveCore

extension EntityID: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(self) }
  /// Takes a reference, or a text that is an identifier.
  public init?(propertyValue value: Value) {
    switch value {
    case .reference(let id): self = id
    case .string(let text):
      guard let id = try? EntityID(text) else { return nil }
      self = id
    default: return nil
    }
  }
  /// Reads a reference.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> EntityID? {
    try row.reference(at: position)
  }
}

extension Identifier: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(entityID) }
  /// Takes a reference, or a text that is an identifier.
  public init?(propertyValue value: Value) {
    guard let id = EntityID(propertyValue: value) else { return nil }
    self.init(id)
  }
  /// Reads a reference.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Identifier? {
    guard let id = try row.reference(at: position) else { return nil }
    return Identifier(id)
  }
}

extension Ref: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(id.entityID) }
  /// Takes a reference, or a text that is an identifier.
  public init?(propertyValue value: Value) {
    guard let id = EntityID(propertyValue: value) else { return nil }
    self.init(Identifier(id))
  }
  /// Reads a reference.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Ref? {
    guard let id = try row.reference(at: position) else { return nil }
    return Ref(Identifier(id))
  }
}

/// Any value, as it is.
extension Value: PropertyValue {
  /// Itself.
  public var propertyValue: Value? { self }
  /// Itself.
  public init?(propertyValue value: Value) { self = value }
}
