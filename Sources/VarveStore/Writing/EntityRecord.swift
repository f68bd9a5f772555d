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
  }

  package var type: EntityType
  package var id: EntityID
  /// When it was first added, where the document says.
  package var datestamp: HybridTime?
  /// Each key once, in byte order.
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
}

extension Transaction {
  /// Brings an entity of a document in: creates what is not live, and adds to what is whatever its
  /// history does not say yet. The type and the datestamp of what is live stay.
  ///
  /// - Throws: ``VarveError``, before anything is written: `valueTooLarge`, `unsupportedValue`,
  ///   `invalidArgument` for names over 64 KiB.
  /// - Complexity: O(properties × log entities).
  package func load(_ record: EntityRecord) async throws -> SaveOutcome {
    try await perform { try await $0.load(record) }
  }
}
