public import VarveCore

extension StoredEntity {
  /// Returns the value of a property as a Swift type.
  ///
  /// ```swift
  /// let size: Int = try entity.read("brim_size")
  /// let owner: String? = try entity.read("owner")
  /// ```
  ///
  /// - Throws: ``VarveError``: `missingField` if there is no value and the type is not optional;
  ///   `fieldType` if the value is of another kind.
  public func read<V: PropertyValue>(_ key: PropertyKey, as type: V.Type = V.self) throws -> V {
    try read(key) { try $0.read(0) }
  }

  /// Returns the value of a property as an enumeration with raw values.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Sendable>(
    _ key: PropertyKey,
    as type: V.Type = V.self
  ) throws -> V where V.RawValue: PropertyValue {
    try read(key) { try $0.read(0) }
  }

  /// Returns the value of a property as an enumeration with raw values, or nil if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Sendable>(
    _ key: PropertyKey,
    as type: V?.Type = V?.self
  ) throws -> V? where V.RawValue: PropertyValue {
    try read(key) { try $0.read(0) }
  }

  private func read<V>(_ key: PropertyKey, _ body: (EntityRow) throws -> V) throws -> V {
    let cursor = EntityCursor(RowShape([RowShape.Column(key)]), [self])
    _ = try cursor.advance()
    do {
      return try body(EntityRow(cursor: cursor))
    } catch let error as FieldMismatch {
      throw error.described(of: id)
    }
  }
}

extension Persistable {
  /// Creates the model from an entity.
  ///
  /// - Throws: ``VarveError``: `typeMismatch` if the entity is of another type; `missingField`,
  ///   `fieldType`; whatever the model's initialiser throws.
  public init(_ entity: StoredEntity) throws {
    guard Self.schema.types.contains(entity.type) else {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(entity.id)\" is a \"\(entity.type)\", not a \"\(Self.schema.type)\"",
        at: "entity \(entity.id)",
        remedy: "Read it as its own type.",
        entity: entity.id
      )
    }
    let cursor = EntityCursor(Self.schema.shape, [entity])
    _ = try cursor.advance()
    do {
      try self.init(row: EntityRow(cursor: cursor))
    } catch let error as FieldMismatch {
      throw error.described(of: entity.id)
    }
  }
}
