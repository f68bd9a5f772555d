/// The relations and to-many properties of a state.
package protocol EdgeReader {
  /// Edges from an entity: of one relation or of all, in order of relation, then of position.
  /// A target stands once per relation, at its first place. Dead and unknown targets included;
  /// edges of a former life are not.
  func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge]

  /// The edge of one relation between two entities, if it stands. One of the source's former life
  /// does not count.
  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge?

  /// Edges to an entity of one kind, in the order they were declared. Dead and unknown sources
  /// included; those of a source's former life too, marked so and apart from those of its present
  /// one, because a restore has to know of them.
  func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge]

  /// The edges that are one fact with a property of an entity's present life: of each register the
  /// greatest, in order of end, then of relation (R28). One look where no property of the key is
  /// paired with anything in this store.
  func pairedEdges(of id: EntityID, key: PropertyKey) async throws -> [PairedEdge]

  /// The keys whose properties may be paired with edges, in order.
  func pairedKeys() async throws -> [PropertyKey]

  /// The elements of a to-many property, in order of position, then of adds. A target stands as
  /// often as it was added. Dead and unknown ones included, whether or not the property is set;
  /// those of a former life of the source are not.
  func elements(of source: EntityID, key: PropertyKey) async throws -> [Element]

  /// Whether a property of a live entity is a to-many one.
  func isCollection(_ id: EntityID, _ key: PropertyKey) async throws -> Bool

  /// The to-many properties of a live entity, those without elements too, in byte order.
  func collections(of id: EntityID) async throws -> [PropertyKey]
}
