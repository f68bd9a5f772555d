/// The behaviour of `restore(_:_:at:)` if all owners of an entity are dead.
public enum RestoreMode: String, Hashable, Sendable, CaseIterable {
  /// Throws `ownersDead`.
  case ifOwned
  /// Restores dead owners, and their owners, until the entity lives.
  case withOwners
  /// Removes the ownership of dead owners, so that the entity lives without an owner.
  case asRoot
}
