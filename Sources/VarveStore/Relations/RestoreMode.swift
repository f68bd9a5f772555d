/// What ``Transaction/restore(_:_:at:)`` does where all owners of an entity are dead.
public enum RestoreMode: String, Hashable, Sendable, CaseIterable {
  /// Throws `ownersDead`.
  case ifOwned
  /// Restores dead owners, and theirs, until the entity lives.
  case withOwners
  /// Removes the ownership of dead owners: the entity lives on its own.
  case asRoot
}
