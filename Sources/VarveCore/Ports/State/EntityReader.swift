/// The entities of a state.
package protocol EntityReader {
  /// A live entity, or nil.
  func entity(_ id: EntityID) async throws -> StoredEntity?

  /// Whether live entities are as given, without making more of them than it takes.
  func likenesses(_ likenings: [Likening]) async throws -> [Likeness]

  /// What is known of an identifier.
  func status(of id: EntityID) async throws -> EntityStatus

  /// The types of live entities and how many there are, in byte order.
  func types() async throws -> [(type: EntityType, count: Int)]

  /// The identifiers of live entities of all types, in creation order (R5).
  func idsInCreationOrder() async throws -> [EntityID]

  /// Every type that may have live entities, in byte order; some may have none.
  func labels() async throws -> [EntityType]

  /// The live entities of a type, in creation order.
  func names(of type: EntityType) async throws -> [EntityName]

  /// The type an entity has, or had when it last lived; nil where none is known.
  func label(of id: EntityID) async throws -> EntityType?
}

/// An entity without its properties.
package struct EntityName: Sendable {
  package var id: EntityID
  package var datestamp: HybridTime
  /// Rises with creations in one commit, across types.
  package var place: Int64

  package init(id: EntityID, datestamp: HybridTime, place: Int64) {
    self.id = id
    self.datestamp = datestamp
    self.place = place
  }
}
