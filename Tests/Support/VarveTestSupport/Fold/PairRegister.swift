package import VarveCore

/// Names the edges of one relation that are paired with one property, in one life of the entity
/// that has the property (R28). Only the greatest of these edges counts, and a removed edge can be
/// it.
package struct PairRegister: Hashable, Sendable {
  /// The entity whose property it is.
  package let holder: EntityID
  package let relation: Relation
  package let end: Pairing.End
  package let key: PropertyKey
  /// Whether they were written before the holder's greatest re-creation.
  package let isFormer: Bool

  package init(holder: EntityID, relation: Relation, pairing: Pairing, isFormer: Bool) {
    self.holder = holder
    self.relation = relation
    end = pairing.end
    key = pairing.key
    self.isFormer = isFormer
  }
}
