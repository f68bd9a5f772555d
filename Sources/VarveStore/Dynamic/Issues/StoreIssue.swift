public import VarveCore

/// Something that no local write would have left, and that a merge, which is never refused because
/// of data, may (R10). Issues are found by asking; nothing of them is stored.
public enum StoreIssue: Hashable, Sendable {
  /// Several live entities have the same values under keys that shall be unique.
  case duplicate(Duplicate)
  /// A live entity breaks its model's rules.
  case broken(Broken)
  /// A live entity cannot be read as its model.
  case unreadable(UnreadableRow)
  /// Live entities that own each other, and that nobody outside owns.
  case ownerlessCycle(OwnerlessCycle)
  /// A reference of a live entity and the edges that go with it say different things (R28).
  case disagreement(Disagreement)
  /// Live entities have a property that their model does not know. Nothing is wrong with it: newer
  /// versions of a program write such.
  case unknownKey(UnknownKey)

  /// Several live entities with the same values under some keys.
  public struct Duplicate: Hashable, Sendable {
    /// The type of the first.
    public let type: EntityType
    /// The keys, in the order they were asked.
    public let keys: [PropertyKey]
    /// What the first entity has under each; nil where none of them has a value.
    public let values: [Value?]
    /// All of them, two at least, in creation order.
    public let entities: [EntityID]
  }

  /// A live entity that breaks rules.
  public struct Broken: Hashable, Sendable {
    /// The entity.
    public let entity: EntityID
    /// Its type.
    public let type: EntityType
    /// What is broken, in the order of the checks.
    public let violations: [ValidationError]
  }

  /// Live entities each of which owns another of them, so that each owns all at some distance,
  /// while nobody else owns any. Erasing something else never takes them, and no list of roots
  /// leads to them.
  public struct OwnerlessCycle: Hashable, Sendable {
    /// The entities, in order of identifier; one that owns itself may be alone.
    public let members: [EntityID]
  }

  /// A reference and the edges that go with it, which say different things: what stores of before
  /// R28 hold, and who relates by hand what a reference should.
  public struct Disagreement: Hashable, Sendable {
    /// The entity whose reference it is.
    public let entity: EntityID
    /// The reference.
    public let key: PropertyKey
    /// The relation that goes with it.
    public let relation: Relation
    /// At which end of it the entity stands.
    public let end: Pairing.End
    /// What the reference says; nil for nothing.
    public let reference: EntityID?
    /// What the edges say: the entities at their other ends.
    public let related: [EntityID]
  }

  /// A property that a model does not know.
  public struct UnknownKey: Hashable, Sendable {
    /// The type of the model.
    public let type: EntityType
    /// The key.
    public let key: PropertyKey
    /// How many live entities have it.
    public let entityCount: Int
  }
}
