/// A change in the life of an entity.
public enum Life: Hashable, Sendable {
  /// First added. The datestamp is named only if it differs from the cell's time.
  case created(EntityType, datestamp: HybridTime?)
  /// Added again under an identifier that was erased: starts empty.
  case recreated(EntityType, datestamp: HybridTime?)
  /// Erased.
  case erased
  /// Brought back as it was.
  case restored
}
