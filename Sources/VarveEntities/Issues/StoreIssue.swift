public import VarveCore

/// An inconsistency that no local write leaves but a merge may, because a merge is never refused
/// because of data (R10). Issues are computed on request and not stored.
public enum StoreIssue: Hashable, Sendable {
  /// Several live entities have the same values under keys that should be unique.
  case duplicate(Duplicate)
  /// A live entity violates its model's rules.
  case broken(Broken)
  /// A live entity cannot be read as its model.
  case unreadable(UnreadableRow)
  /// Live entities own each other, and no entity outside owns any of them.
  case ownerlessCycle(OwnerlessCycle)
  /// A reference of a live entity disagrees with its edges (R28).
  case disagreement(Disagreement)
  /// A list of a live entity shows a target more often than any author meant (R8).
  case repetition(Repetition)
  /// Live entities have a property that their model does not declare. This is not an error: a newer
  /// version of a program may have written it.
  case unknownKey(UnknownKey)

  /// Several live entities with the same values under some keys.
  public struct Duplicate: Hashable, Sendable {
    /// The type of the first entity.
    public let type: EntityType
    /// The keys, in the given order.
    public let keys: [PropertyKey]
    /// The first entity's value under each key; nil if all entities lack it.
    public let values: [Value?]
    /// The entities, at least two, in creation order.
    public let entities: [EntityID]
  }

  /// A live entity that violates rules.
  public struct Broken: Hashable, Sendable {
    /// The entity.
    public let entity: EntityID
    /// Its type.
    public let type: EntityType
    /// The violations, in the order of the checks.
    public let violations: [ValidationError]

    package init(entity: EntityID, type: EntityType, violations: [ValidationError]) {
      self.entity = entity
      self.type = type
      self.violations = violations
    }
  }

  /// Live entities that own one another in a cycle, and that no other entity owns.
  ///
  /// No root leads to them, and erasing another entity never erases them.
  public struct OwnerlessCycle: Hashable, Sendable {
    /// The entities, in order of identifier. An entity that owns itself can be the only one.
    public let members: [EntityID]
  }

  /// A reference that disagrees with its edges. This happens in stores from before R28, and if
  /// edges are changed independently of their reference.
  public struct Disagreement: Hashable, Sendable {
    /// The entity that has the reference.
    public let entity: EntityID
    /// The key of the reference.
    public let key: PropertyKey
    /// The relation of the edges.
    public let relation: Relation
    /// The end of the relation at which the entity is.
    public let end: Pairing.End
    /// The target of the reference; nil if there is none.
    public let reference: EntityID?
    /// The entities at the other ends of the edges.
    public let related: [EntityID]
  }

  /// A target that a list shows more often than any author meant, because several added it, and none
  /// had seen the elements of the others.
  public struct Repetition: Hashable, Sendable {
    /// The entity that has the list.
    public let entity: EntityID
    /// The key of the list.
    public let key: PropertyKey
    /// The repeated target.
    public let target: EntityID
    /// How often the list shows it.
    public let count: Int
    /// How often one author had it in view, at most.
    public let meantCount: Int
  }

  /// A property that a model does not declare.
  public struct UnknownKey: Hashable, Sendable {
    /// The type of the model.
    public let type: EntityType
    /// The key.
    public let key: PropertyKey
    /// The number of live entities that have it.
    public let entityCount: Int

    package init(type: EntityType, key: PropertyKey, entityCount: Int) {
      self.type = type
      self.key = key
      self.entityCount = entityCount
    }
  }
}
