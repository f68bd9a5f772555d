/// One written fact about an entity: the smallest part of a commit.
public struct Cell: Hashable, Sendable {
  /// The cell's position in its commit, from 0. Cells of one creation share an ordinal.
  public var ordinal: Int
  /// The entity the fact is about.
  public var entity: EntityID
  /// The time from which the fact holds; nil for the time of the commit.
  public var time: HybridTime?
  /// The fact.
  public var content: Content

  /// Creates a cell.
  public init(ordinal: Int, entity: EntityID, time: HybridTime? = nil, content: Content) {
    self.ordinal = ordinal
    self.entity = entity
    self.time = time
    self.content = content
  }

  /// A fact about an entity.
  public enum Content: Hashable, Sendable {
    /// The entity's life changed.
    case life(Life)
    /// A property was set to a value with a semantic type.
    case value(PropertyKey, Value, semanticType: String)
    /// A property was removed.
    case removal(PropertyKey)
    /// A property became a to-many relation, which may be empty but is set.
    case collection(PropertyKey)
    /// A relation got an element; an edge may be paired with a property of one of its ends (R28).
    case add(Relation, target: EntityID, position: ListPosition?, pairing: Pairing? = nil)
    /// Elements of a relation were removed: the adds named, and no others.
    case remove(Relation, target: EntityID, adds: [AddID])
  }
}

extension Cell.Content {
  /// Returns whether the contents are equal; texts are compared by their UTF-8 bytes.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.life(let one), .life(let other)): one == other
    case (.value(let key, let value, let type), .value(let otherKey, let otherValue, let otherType)):
      key == otherKey && value == otherValue && type.isSame(as: otherType)
    case (.removal(let one), .removal(let other)): one == other
    case (.collection(let one), .collection(let other)): one == other
    case (
      .add(let relation, let target, let position, let pairing),
      .add(let otherRelation, let otherTarget, let otherPosition, let otherPairing)
    ):
      relation == otherRelation && target == otherTarget && position == otherPosition
        && pairing == otherPairing
    case (
      .remove(let relation, let target, let adds),
      .remove(let otherRelation, let otherTarget, let otherAdds)
    ):
      relation == otherRelation && target == otherTarget && adds == otherAdds
    default: false
    }
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .life(let life):
      hasher.combine(0)
      hasher.combine(life)
    case .value(let key, let value, let semanticType):
      hasher.combine(1)
      hasher.combine(key)
      hasher.combine(value)
      semanticType.utf8.hashBytes(into: &hasher)
    case .removal(let key):
      hasher.combine(2)
      hasher.combine(key)
    case .collection(let key):
      hasher.combine(3)
      hasher.combine(key)
    case .add(let relation, let target, let position, let pairing):
      hasher.combine(4)
      hasher.combine(pairing)
      hasher.combine(relation)
      hasher.combine(target)
      hasher.combine(position)
    case .remove(let relation, let target, let adds):
      hasher.combine(5)
      hasher.combine(relation)
      hasher.combine(target)
      hasher.combine(adds)
    }
  }
}
