public import VarveCore

/// What the entity that stays takes of its doubles when they are merged into it.
public enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
  /// Properties it lacks: from the first double that has them.
  case fill
  /// Of each property the value that was written last, by its time.
  case newest
  /// None.
  case keep
}

/// What merging doubles did.
public struct DuplicateMerge: Hashable, Sendable {
  /// The entity that stayed.
  public let kept: EntityID
  /// What was erased: the doubles, in the order given.
  public internal(set) var erased: [EntityID] = []
  /// The properties it took over, in order of key; to-many ones that got elements among them.
  public internal(set) var properties: [PropertyKey] = []
  /// How many properties of others referred to a double and refer to it now: values, and elements of
  /// to-many properties.
  public internal(set) var referenceCount = 0
  /// How many relations it took over, from either end.
  public internal(set) var relationCount = 0

  init(kept: EntityID) { self.kept = kept }
}
