import VarveCore

/// The entity that objects of one part of a document are about.
final class Subject {
  /// What became of it.
  enum Fate {
    case created
    case changed
    case unchanged
  }

  let id: EntityID
  /// As it was before anything of the part was written; nil where it is not live.
  let entity: Entity?
  /// Whether its derived identifier belongs to another entity.
  let isFresh: Bool
  /// Whether something of the part was written to it.
  var isWritten = false
  /// Where its row waits, if it is new.
  var row: RowBatches.Place?
  var fate: Fate?

  init(_ id: EntityID, _ entity: Entity? = nil, isFresh: Bool = false) {
    self.id = id
    self.entity = entity
    self.isFresh = isFresh
  }
}
