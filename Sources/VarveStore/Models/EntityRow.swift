public import Foundation
public import VarveCore

/// One row, as a model reads it. Valid inside ``Persistable/init(row:)``.
public struct EntityRow {
  let cursor: any RowCursor

  /// The entity's identifier, as one of a model.
  public func id<Model>() throws -> Identifier<Model> { Identifier(try cursor.id()) }

  /// The entity's identifier.
  public func entityID() throws -> EntityID { try cursor.id() }

  /// The entity's type.
  public var entityType: EntityType { cursor.type() }

  /// Where a property of a name stands among those of the schema.
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

  /// A text, or nil where there is none.
  public func string(at position: Int) throws -> String? { try cursor.string(position) }
  /// An integer, or nil.
  public func int(at position: Int) throws -> Int64? { try cursor.int(position) }
  /// A number, or nil; an integer is one.
  public func double(at position: Int) throws -> Double? { try cursor.double(position) }
  /// A truth value, or nil; 0 and 1 are such.
  public func bool(at position: Int) throws -> Bool? { try cursor.bool(position) }
  /// A date, or nil; a text in ISO 8601 is one.
  public func date(at position: Int) throws -> Date? { try cursor.date(position) }
  /// Bytes, or nil.
  public func data(at position: Int) throws -> Data? { try cursor.data(position) }
  /// The identifier a reference names, or nil.
  public func reference(at position: Int) throws -> EntityID? { try cursor.reference(position) }
  /// Whatever value there is, or nil.
  public func value(at position: Int) throws -> Value? { try cursor.value(position) }

  // MARK: Errors

  /// What reading a property that is not there throws.
  public func missing(at position: Int) -> VarveError {
    let key = cursor.shape.columns[position].key
    return VarveError(
      .missingField,
      "there is no \"\(key)\"",
      at: "property \(key)",
      remedy: "Make the property optional, or give it a default."
    )
  }

  /// What reading a property of another kind throws.
  public func mismatch(at position: Int, _ value: Value, wanted: String) -> any Error {
    cursor.mismatch(position, value, wanted)
  }
}

// MARK: Values of any type

extension EntityRow {
  /// A property that must be there, by its position in the schema.
  ///
  /// - Throws: ``VarveError``: `missingField`, `fieldType`.
  @inlinable
  public func read<V: PropertyValue>(_ position: Int) throws -> V {
    if let value = try V.read(self, at: position) { return value }
    throw missing(at: position)
  }

  /// A property, or a default where it is missing.
  @inlinable
  public func read<V: PropertyValue>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try V.read(self, at: position) ?? value()
  }

  /// A property that must be there, by its stored name.
  @inlinable
  public func read<V: PropertyValue>(_ name: String) throws -> V {
    try read(position(of: name))
  }

  /// A property by its stored name, or a default where it is missing.
  @inlinable
  public func read<V: PropertyValue>(
    _ name: String,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try read(position(of: name), default: value())
  }
}
