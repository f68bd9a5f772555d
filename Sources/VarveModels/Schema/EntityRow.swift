public import Foundation
public import VarveCore

/// A row from which a model is read. It is valid inside ``Persistable/init(row:)``.
public struct EntityRow {
  let cursor: any RowCursor

  /// Returns the entity's identifier as that of a model.
  public func id<Model>() throws -> Identifier<Model> { Identifier(try cursor.id()) }

  /// Returns the entity's identifier.
  public func entityID() throws -> EntityID { try cursor.id() }

  /// The entity's type.
  public var entityType: EntityType { cursor.type() }

  /// Returns the position of a property in the schema, by its stored name.
  ///
  /// - Throws: ``VarveError`` with code `unknownProperty`.
  public func position(of name: String) throws -> Int {
    if let position = cursor.shape.position(of: name) { return position }
    throw VarveError(
      .unknownProperty,
      "the schema has no property \"\(name)\"",
      at: "property \(name)",
      remedy: "Name it in the schema, or read one that is there."
    )
  }

  // MARK: By kind

  /// Returns the string at a position, or nil if there is none.
  public func string(at position: Int) throws -> String? { try cursor.string(position) }
  /// Returns the integer at a position, or nil if there is none.
  public func int(at position: Int) throws -> Int64? { try cursor.int(position) }
  /// Returns the number at a position, or nil if there is none. Integers are converted.
  public func double(at position: Int) throws -> Double? { try cursor.double(position) }
  /// Returns the truth value at a position, or nil if there is none. 0 and 1 are truth values too.
  public func bool(at position: Int) throws -> Bool? { try cursor.bool(position) }
  /// Returns the date at a position, or nil if there is none. ISO 8601 strings are converted.
  public func date(at position: Int) throws -> Date? { try cursor.date(position) }
  /// Returns the data at a position, or nil if there is none.
  public func data(at position: Int) throws -> Data? { try cursor.data(position) }
  /// Returns the identifier at a position, or nil if there is none.
  public func reference(at position: Int) throws -> EntityID? { try cursor.reference(position) }
  /// Returns the value at a position, of any kind, or nil if there is none.
  public func value(at position: Int) throws -> Value? { try cursor.value(position) }

  // MARK: Errors

  /// Returns the error for a required property that is missing.
  public func missing(at position: Int) -> VarveError {
    let key = cursor.shape.columns[position].key
    return VarveError(
      .missingField,
      "there is no \"\(key)\"",
      at: "property \(key)",
      remedy: "Make the property optional, or give it a default.",
      property: key
    )
  }

  /// Returns the error for a property of another kind.
  public func mismatch(at position: Int, _ value: Value, wanted: String) -> any Error {
    cursor.mismatch(position, value, wanted)
  }
}

// MARK: Values of any type

extension EntityRow {
  /// Returns the value of a required property, by its position in the schema.
  ///
  /// - Throws: ``VarveError``: `missingField`, `fieldType`.
  @inlinable
  public func read<V: PropertyValue>(_ position: Int) throws -> V {
    if let value = try V.read(self, at: position) { return value }
    throw missing(at: position)
  }

  /// Returns the value of a property, or a default if it is missing.
  @inlinable
  public func read<V: PropertyValue>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try V.read(self, at: position) ?? value()
  }

  /// Returns the value of a required property, by its stored name.
  @inlinable
  public func read<V: PropertyValue>(_ name: String) throws -> V {
    try read(position(of: name))
  }

  /// Returns the value of a property by its stored name, or a default if it is missing.
  @inlinable
  public func read<V: PropertyValue>(
    _ name: String,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try read(position(of: name), default: value())
  }
}
