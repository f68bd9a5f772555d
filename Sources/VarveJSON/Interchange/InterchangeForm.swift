/// The forms of interchange documents. See `Documentation/Interchange.md`.
public enum InterchangeForm: String, Hashable, Sendable, CaseIterable {
  /// The current values, in the simplest form that can be read again.
  case compact
  /// The current values, each with its kind, its semantic type and the time from which it holds.
  case normalized
  /// The commits themselves: history, removals and relations, byte for byte.
  case full
}
