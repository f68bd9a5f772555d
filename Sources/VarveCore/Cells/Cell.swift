/// One written fact about an entity: the smallest part of a commit.
public struct Cell: Hashable, Sendable {
  /// The cell's place in its commit, from 0. Cells of one creation share theirs.
  public var ordinal: Int
  /// The entity it is about.
  public var entity: EntityID
  /// When the fact holds from, if not from the commit's own stamp.
  public var time: HybridTime?
  /// What is said.
  public var content: Content

  /// Creates a cell.
  public init(ordinal: Int, entity: EntityID, time: HybridTime? = nil, content: Content) {
    self.ordinal = ordinal
    self.entity = entity
    self.time = time
    self.content = content
  }

  /// What a cell says.
  public enum Content: Hashable, Sendable {
    /// The entity's life changed.
    case life(Life)
    /// A property got a value, with its semantic type.
    case value(PropertyKey, Value, semanticType: String)
    /// A property was removed.
    case removal(PropertyKey)
    /// A property is a to-many relation from here on: it may be empty, but it is set.
    case collection(PropertyKey)
    /// A relation got an element.
    case add(Relation, target: EntityID, position: Position?)
    /// Elements of a relation were removed: the adds named, and no others.
    case remove(Relation, target: EntityID, adds: [AddID])
  }
}
