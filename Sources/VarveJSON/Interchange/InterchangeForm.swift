/// The forms of interchange documents. See `Documentation/Interchange.md`.
public enum InterchangeForm: String, Hashable, Sendable, CaseIterable {
  /// The current values, as simply as they can be written and read again.
  case compact
  /// The current values, each with its kind, its semantic type and since when it holds.
  case normalized
  /// The commits themselves: history, removals and relations, to the last byte.
  case full
}
