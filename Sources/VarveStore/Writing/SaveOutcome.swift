/// What ``Transaction/save(_:id:_:at:)`` did.
public enum SaveOutcome: String, Hashable, Sendable {
  /// The identifier was unknown: the entity was created.
  case created
  /// Something differed and was written.
  case changed
  /// Nothing differed.
  case unchanged
}
