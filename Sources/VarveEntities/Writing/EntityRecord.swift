package import VarveCore

/// An entity as described by a document, with the times of its values.
package struct EntityRecord: Sendable {
  /// A property of the entity.
  package struct Property: Sendable {
    package var key: PropertyKey
    package var property: StoredEntity.Property
    /// The time from which the value holds; nil if the document has none.
    package var time: HybridTime?

    package init(key: PropertyKey, property: StoredEntity.Property, time: HybridTime?) {
      self.key = key
      self.property = property
      self.time = time
    }

    /// Validates the property's key, value and semantic type.
    ///
    /// - Throws: ``VarveError``: `valueTooLarge`, `unsupportedValue`, `invalidArgument` for names
    ///   over 64 KiB.
    package func validate() throws { try Names.validate(key, property) }
  }

  package var type: EntityType
  package var id: EntityID
  /// The time at which the entity was first added; nil if the document has none.
  package var datestamp: HybridTime?
  /// The properties: validated, in byte order of their keys, each key once.
  package var properties: [Property]

  package init(
    type: EntityType,
    id: EntityID,
    datestamp: HybridTime?,
    properties: [Property]
  ) {
    self.type = type
    self.id = id
    self.datestamp = datestamp
    self.properties = properties
  }

  /// Whether any value holds only from the time of the load.
  package var hasUndatedValue: Bool { properties.contains { $0.time == nil } }
}

/// The result of loading a record.
package struct LoadedRecord: Sendable {
  package let outcome: SaveOutcome
  /// The type of the entity. It differs from the record's if the entity was alive before.
  package let type: EntityType
}

extension WriteTransaction {
  /// Loads an entity of a document: creates it if it is not live, otherwise adds the values that
  /// its history lacks. A live entity keeps its type and datestamp.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument`, before anything is written, for a type
  ///   over 64 KiB.
  /// - Complexity: O(properties × log entities).
  package func load(_ record: EntityRecord) async throws -> LoadedRecord {
    try await perform { try await $0.load(record) }
  }
}
