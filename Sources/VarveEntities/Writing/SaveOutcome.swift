/// The outcome of ``Writing/save(_:id:_:at:)``.
public enum SaveOutcome: String, Hashable, Sendable {
  /// The identifier was unknown: the entity was created.
  case created
  /// There were differences, and they were written.
  case changed
  /// There were no differences.
  case unchanged
}
