package import VarveCore

/// An entity as a document describes it: what is said of it, and since when.
package struct EntityRecord: Sendable {
  /// One property of it.
  package struct Property: Sendable {
    package var key: PropertyKey
    package var property: Entity.Property
    /// When it holds from, where the document says.
    package var time: HybridTime?

    package init(key: PropertyKey, property: Entity.Property, time: HybridTime?) {
      self.key = key
      self.property = property
      self.time = time
    }

    /// Checks all that can be wrong with it.
    ///
    /// - Throws: ``VarveError``: `valueTooLarge`, `unsupportedValue`, `invalidArgument` for names over
    ///   64 KiB.
    package func validate() throws { try Names.validate(key, property) }
  }

  package var type: EntityType
  package var id: EntityID
  /// When it was first added, where the document says.
  package var datestamp: HybridTime?
  /// Each key once, in byte order, each validated.
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

  /// Whether something of it holds from whenever it is loaded.
  package var hasUndatedValue: Bool { properties.contains { $0.time == nil } }
}

extension Transaction {
  /// Brings an entity of a document in: creates what is not live, and adds to what is whatever its
  /// history does not say yet. The type and the datestamp of what is live stay.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument`, before anything is written, for a type over
  ///   64 KiB.
  /// - Complexity: O(properties × log entities).
  package func load(_ record: EntityRecord) async throws -> SaveOutcome {
    try await perform { try await $0.load(record) }
  }
}
