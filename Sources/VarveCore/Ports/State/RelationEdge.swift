/// An edge between two entities.
public struct RelationEdge: Hashable, Sendable {
  /// The end to which the relation belongs: the owner, or the source of a free relation.
  public let source: EntityID
  /// The kind and name.
  public let relation: Relation
  /// The other end.
  public let target: EntityID
  /// The position among the source's relations, which is that of the first add.
  package let position: ListPosition
  /// The adds of the edge: one, or more if replicas added it concurrently.
  package let adds: [AddID]
  /// Whether the source was re-created after all of these adds. Such an ownership keeps no entity
  /// alive and is in no list, but keeps dead what died by it (R15).
  package let isFromFormerLife: Bool

  package init(
    source: EntityID,
    relation: Relation,
    target: EntityID,
    position: ListPosition,
    adds: [AddID],
    isFromFormerLife: Bool = false
  ) {
    self.position = position
    self.source = source
    self.relation = relation
    self.target = target
    self.adds = adds
    self.isFromFormerLife = isFromFormerLife
  }
}
