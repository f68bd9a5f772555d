/// The entities of a state.
package protocol EntityReader {
  /// Returns a live entity, or nil.
  func entity(_ id: EntityID) async throws -> StoredEntity?

  /// Compares live entities with expected values, without reading the entities if possible.
  func likenesses(_ likenings: [Likening]) async throws -> [Likeness]

  /// Returns the status of an identifier.
  func status(of id: EntityID) async throws -> EntityStatus

  /// Returns the types of live entities and the number of entities of each, in byte order.
  func types() async throws -> [(type: EntityType, count: Int)]

  /// Returns the identifiers of live entities of all types, in creation order (R5).
  func idsInCreationOrder() async throws -> [EntityID]

  /// Returns every type that may have live entities, in byte order; some may have none.
  func labels() async throws -> [EntityType]

  /// Returns the live entities of a type, in creation order.
  func names(of type: EntityType) async throws -> [EntityName]

  /// Returns the type of an entity, or its type when it last lived; nil if none is known.
  func label(of id: EntityID) async throws -> EntityType?
}

/// An entity without its properties.
package struct EntityName: Sendable {
  package var id: EntityID
  package var datestamp: HybridTime
  /// A number that rises with the creations in one commit, across types.
  package var place: Int64

  package init(id: EntityID, datestamp: HybridTime, place: Int64) {
    self.id = id
    self.datestamp = datestamp
    self.place = place
  }
}
