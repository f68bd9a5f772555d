/// The kind of a relation, seen from one of its ends.
public enum RelationKind: String, Hashable, Sendable, CaseIterable {
  /// It owns the other: erasing it erases the other, unless that has another owner.
  case owns
  /// The other owns it: the same edge, seen from the other end.
  case ownedBy
  /// It refers to the other, without ownership.
  case free
}
