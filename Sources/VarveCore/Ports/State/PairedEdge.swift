/// An edge that is one fact with a property of an entity (R28): the greatest of its register.
package struct PairedEdge: Hashable, Sendable {
  package let relation: Relation
  package let pairing: Pairing
  package let source: EntityID
  package let target: EntityID
  package let add: AddID
  /// Whether it was removed, so that no edge of the register counts.
  package let isRemoved: Bool

  package init(
    relation: Relation,
    pairing: Pairing,
    source: EntityID,
    target: EntityID,
    add: AddID,
    isRemoved: Bool
  ) {
    self.relation = relation
    self.pairing = pairing
    self.source = source
    self.target = target
    self.add = add
    self.isRemoved = isRemoved
  }

  /// Orders edges by end, then by relation.
  package static func precedes(_ left: PairedEdge, _ right: PairedEdge) -> Bool {
    guard left.pairing.end == right.pairing.end else {
      return left.pairing.end.rawValue < right.pairing.end.rawValue
    }
    return left.relation < right.relation
  }

  /// The end to which the property refers.
  package var other: EntityID { pairing.end == .source ? target : source }
}
