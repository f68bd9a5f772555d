public import VarveCore

/// The properties that the kept entity takes over when duplicates are merged into it.
public enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
  /// The properties it lacks, each from the first duplicate that has it.
  case fill
  /// The value of each property that was written last, by its time.
  case newest
  /// None.
  case keep
}

/// The outcome of merging duplicates.
public struct DuplicateMerge: Hashable, Sendable {
  /// The entity that was kept.
  public let kept: EntityID
  /// The duplicates, which were erased, in the order given.
  public internal(set) var erased: [EntityID] = []
  /// The properties it took over, in order of key, including to-many properties that gained
  /// elements.
  public internal(set) var properties: [PropertyKey] = []
  /// The number of values and to-many elements of other entities that referred to a duplicate and
  /// were redirected.
  public internal(set) var referenceCount = 0
  /// The number of relations it took over, from either end.
  public internal(set) var relationCount = 0

  init(kept: EntityID) { self.kept = kept }
}
