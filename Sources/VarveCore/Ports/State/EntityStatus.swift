/// The status of an identifier.
public enum EntityStatus: Hashable, Sendable {
  /// No commit creates an entity with the identifier.
  case unknown
  /// The entity is live and has the type.
  case live(EntityType)
  /// The entity was erased by name.
  case erased
  /// The entity died with its owners.
  case dead
}
