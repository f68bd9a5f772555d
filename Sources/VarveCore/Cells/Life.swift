/// A change in the life of an entity.
public enum Life: Hashable, Sendable {
  /// Created for the first time. The datestamp is given only if it differs from the cell's time.
  case created(EntityType, datestamp: HybridTime?)
  /// Created again under an identifier that was erased; the new entity starts empty.
  case recreated(EntityType, datestamp: HybridTime?)
  /// Erased.
  case erased
  /// Restored as it was.
  case restored
}
