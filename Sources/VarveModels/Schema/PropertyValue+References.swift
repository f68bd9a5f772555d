public import VarveCore

extension EntityID: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(self) }
  /// Creates an identifier from a reference, or from a string that is an identifier.
  public init?(propertyValue value: Value) { self.init(referenceIn: value) }
  /// Returns the reference at a position.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> EntityID? {
    try row.reference(at: position)
  }
}

extension Identifier: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(entityID) }
  /// Creates an identifier from a reference, or from a string that is an identifier.
  public init?(propertyValue value: Value) {
    guard let id = EntityID(propertyValue: value) else { return nil }
    self.init(id)
  }
  /// Returns the reference at a position.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Identifier? {
    guard let id = try row.reference(at: position) else { return nil }
    return Identifier(id)
  }
}

extension Ref: PropertyValue {
  /// A reference.
  public var propertyValue: Value? { .reference(id.entityID) }
  /// Creates a reference from a reference value, or from a string that is an identifier.
  public init?(propertyValue value: Value) {
    guard let id = EntityID(propertyValue: value) else { return nil }
    self.init(Identifier(id))
  }
  /// Returns the reference at a position.
  @inlinable
  public static func read(_ row: EntityRow, at position: Int) throws -> Ref? {
    guard let id = try row.reference(at: position) else { return nil }
    return Ref(Identifier(id))
  }
}

/// Values of any kind.
extension Value: PropertyValue {
  /// The value itself.
  public var propertyValue: Value? { self }
  /// Creates a copy of the value.
  public init?(propertyValue value: Value) { self = value }
}
