/// How the elements of a to-many property are taken.
public enum CollectionKind: String, Hashable, Sendable, CaseIterable {
  /// In order, and as often as they were added.
  case list
  /// In order, each once.
  case orderedSet
  /// Each once; their order says nothing.
  case set
}
