/// The relations and to-many properties of a state.
package protocol EdgeReader {
  /// Returns the edges out of an entity, of one relation or of all, in order of relation, then of
  /// position. A target occurs once per relation, at its first position. Dead and unknown targets
  /// are included; edges of a former life are not.
  func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge]

  /// Returns the edge of one relation between two entities, if it counts. An edge of the source's
  /// former life does not.
  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge?

  /// Returns the edges of one kind into an entity, in the order in which they were added. Dead and
  /// unknown sources are included. So are edges of a source's former life, marked and separate from
  /// those of its present one, because a restore needs them.
  func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge]

  /// Returns the edges that are paired with a property of an entity's present life: the greatest
  /// of each register, in order of end, then of relation (R28). It takes one lookup if no property
  /// with the key is paired in this store.
  func pairedEdges(of id: EntityID, key: PropertyKey) async throws -> [PairedEdge]

  /// Returns the keys whose properties may be paired with edges, in order.
  func pairedKeys() async throws -> [PropertyKey]

  /// Returns the elements of a to-many property, in order of position, then of adds. A target
  /// occurs as often as it was added. Dead and unknown elements are included, even if the property
  /// is not set; those of a former life of the source are not.
  func elements(of source: EntityID, key: PropertyKey) async throws -> [Element]

  /// Returns whether a property of a live entity is to-many.
  func isCollection(_ id: EntityID, _ key: PropertyKey) async throws -> Bool

  /// Returns the to-many properties of a live entity, including those without elements, in byte
  /// order.
  func collections(of id: EntityID) async throws -> [PropertyKey]
}
