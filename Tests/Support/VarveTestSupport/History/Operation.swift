package import VarveCore

/// One thing an application does to a store, without regard to whether it is allowed.
///
/// ``apply(to:)`` turns it into cells by the least of the rules for local writes, so that any
/// backend can be driven by one random source.
package enum Operation: Hashable, Sendable {
  /// Creates an entity under an unknown or erased identifier. Does nothing if it is live.
  case create(Creation)
  /// Gives a property a value.
  case set(EntityID, Assignment, time: HybridTime?)
  /// Removes a property.
  case unset(EntityID, PropertyKey, time: HybridTime?)
  /// Makes a property a to-many relation without elements.
  case clear(EntityID, PropertyKey)
  /// Adds an element to a relation.
  case relate(EntityID, Relation, EntityID, ListPosition?)
  /// Gives a property a reference, or none, with the edge that is paired with it (R28).
  case refer(EntityID, Relation, Pairing, EntityID?, time: HybridTime?)
  /// Removes a target from a relation.
  case unrelate(EntityID, Relation, EntityID)
  /// Erases an entity, and everything only it owns.
  case erase(EntityID)
  /// Restores an entity, as a root if its owners are dead.
  case restore(EntityID)
  /// Destroys all values that an entity ever had, and erases it if it is live.
  case purge(EntityID)
  /// Folds history up to a time.
  case compact(HybridTime)
}

/// A property, its value and its semantic type.
package struct Assignment: Hashable, Sendable {
  package var key: PropertyKey
  package var value: Value
  package var semanticType: String

  package init(_ key: PropertyKey, _ value: Value, semanticType: String? = nil) {
    self.key = key
    self.value = value
    self.semanticType = semanticType ?? value.kind.name
  }

  package var content: Cell.Content { .value(key, value, semanticType: semanticType) }
}

/// An entity to add.
package struct Creation: Hashable, Sendable {
  package var id: EntityID
  package var type: EntityType
  package var values: [Assignment]
  /// The time from which the creation and its values hold, if not the commit's stamp.
  package var time: HybridTime?
  /// The datestamp of the entity, if not the time of its creation.
  package var datestamp: HybridTime?

  package init(
    _ id: EntityID,
    _ type: EntityType,
    _ values: [Assignment] = [],
    time: HybridTime? = nil,
    datestamp: HybridTime? = nil
  ) {
    self.id = id
    self.type = type
    self.values = values
    self.time = time
    self.datestamp = datestamp
  }
}
