public import VarveCore

/// The differences between two states of a store, as returned by ``Store/diff(from:to:)``.
public struct Difference: Hashable, Sendable {
  /// Entities that live in the second state only, with their values as new ones.
  public internal(set) var added: [EntityDifference] = []
  /// Entities that live in both states and differ.
  public internal(set) var changed: [EntityDifference] = []
  /// Entities that live in the first state only, with their values as old ones.
  public internal(set) var ended: [EntityDifference] = []

  /// Whether there are no differences.
  public var isEmpty: Bool { added.isEmpty && changed.isEmpty && ended.isEmpty }
}

/// The differences of one entity between two states.
public struct EntityDifference: Hashable, Sendable {
  /// The identifier.
  public let id: EntityID
  /// The type: that of the second state if the entity lives there.
  public let type: EntityType
  /// The type in the first state, if the entity lives there under another.
  public let formerType: EntityType?
  /// The creation dates, if the entity lives in both states and they differ.
  public let datestamp: DatestampDifference?
  /// The properties that differ, in byte order of their keys.
  public let properties: [PropertyDifference]
  /// The to-many properties that differ, in byte order of their keys.
  public let collections: [ElementsDifference]
  /// The relations of the entity that exist in the second state only.
  public let related: [Connection]
  /// The relations of the entity that exist in the first state only. A relation whose target dies still
  /// exists: the target is among those that ended.
  public let unrelated: [Connection]
  /// The targets of relations above that are dead in the state that has the relation, each once. Lists of
  /// relations skip them; the difference has them, because they may be restored.
  public let dead: [EntityID]
}

/// The difference of an entity's creation date between two states: it was created anew, or a merge
/// brought an earlier creation.
public struct DatestampDifference: Hashable, Sendable {
  /// The old date.
  public let old: HybridTime
  /// The new date.
  public let new: HybridTime

  init?(_ old: StoredEntity?, _ new: StoredEntity?) {
    guard let old, let new, old.datestamp != new.datestamp else { return nil }
    (self.old, self.new) = (old.datestamp, new.datestamp)
  }
}

/// The difference of one property between two states. Another semantic type is a difference.
public struct PropertyDifference: Hashable, Sendable {
  /// The key.
  public let key: PropertyKey
  /// The old value; nil if there was none.
  public let old: StoredEntity.Property?
  /// The new value; nil if there is none.
  public let new: StoredEntity.Property?
}

/// The difference of one to-many property between two states. Another order is a difference.
public struct ElementsDifference: Hashable, Sendable {
  /// The key.
  public let key: PropertyKey
  /// The old elements; nil if it was not a to-many property.
  public let old: [EntityID]?
  /// The new elements; nil if it is not a to-many property.
  public let new: [EntityID]?
}

/// A relation of one entity to another, seen from the end that declares it.
public struct Connection: Hashable, Sendable {
  /// The kind and name.
  public let relation: Relation
  /// The other end.
  public let target: EntityID

  init(_ relation: Relation, _ target: EntityID) {
    self.relation = relation
    self.target = target
  }
}

extension Difference {
  /// Compares the portraits of the same entities in two states.
  ///
  /// - Parameter dead: which targets of relations that differ are dead.
  init(
    _ ids: [EntityID],
    _ old: [EntityID: Portrait],
    _ new: [EntityID: Portrait],
    _ dead: DeadTargets
  ) {
    for id in ids {
      let (before, after) = (old[id], new[id])
      guard let type = after?.entity?.type ?? before?.entity?.type else { continue }
      let related = Portrait.missing(after, in: before)
      let unrelated = Portrait.missing(before, in: after)
      let difference = EntityDifference(
        id: id,
        type: type,
        formerType: before?.entity.flatMap { $0.type == type ? nil : $0.type },
        datestamp: DatestampDifference(before?.entity, after?.entity),
        properties: Self.properties(before?.entity, after?.entity),
        collections: Self.collections(before, after),
        related: related,
        unrelated: unrelated,
        dead: dead.targets(of: related, unrelated)
      )
      switch (before?.entity, after?.entity) {
      case (nil, _): added.append(difference)
      case (_, nil): ended.append(difference)
      case (let old?, let new?):
        if old.type != new.type || !difference.isEmpty { changed.append(difference) }
      }
    }
  }

  private static func properties(_ old: StoredEntity?, _ new: StoredEntity?) -> [PropertyDifference]
  {
    let (before, after) = (old?.properties ?? [:], new?.properties ?? [:])
    return Set(before.keys).union(after.keys).sorted().compactMap { key in
      before[key] == after[key]
        ? nil : PropertyDifference(key: key, old: before[key], new: after[key])
    }
  }

  private static func collections(_ old: Portrait?, _ new: Portrait?) -> [ElementsDifference] {
    let (before, after) = (old?.collections ?? [:], new?.collections ?? [:])
    return Set(before.keys).union(after.keys).sorted().compactMap { key in
      before[key] == after[key]
        ? nil : ElementsDifference(key: key, old: before[key], new: after[key])
    }
  }
}

extension Difference {
  /// The difference as people are shown it: without relations to the dead, and without entities of which
  /// nothing else differs.
  package var withoutDead: Difference {
    var shown = self
    shown.added = added.map(\.withoutDead)
    shown.changed = changed.map(\.withoutDead).filter { !$0.isEmpty || $0.formerType != nil }
    shown.ended = ended.map(\.withoutDead)
    return shown
  }
}

extension EntityDifference {
  fileprivate var withoutDead: EntityDifference {
    guard !dead.isEmpty else { return self }
    let dead = Set(dead)
    return EntityDifference(
      id: id,
      type: type,
      formerType: formerType,
      datestamp: datestamp,
      properties: properties,
      collections: collections,
      related: related.filter { !dead.contains($0.target) },
      unrelated: unrelated.filter { !dead.contains($0.target) },
      dead: []
    )
  }

  /// Whether nothing differs except perhaps the life and the type.
  package var isEmpty: Bool {
    datestamp == nil && properties.isEmpty && collections.isEmpty && related.isEmpty
      && unrelated.isEmpty
  }
}
