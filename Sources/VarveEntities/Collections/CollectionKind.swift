/// The kind of collection as which a to-many property is read and written.
public enum CollectionKind: String, Hashable, Sendable, CaseIterable {
  /// Ordered, with repetitions.
  case list
  /// Ordered, without repetitions.
  case orderedSet
  /// Unordered, without repetitions.
  case set
}
