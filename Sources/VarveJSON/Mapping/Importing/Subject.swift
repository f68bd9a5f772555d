import VarveCore

/// The entity that objects of one part of a document are about.
final class Subject {
  let id: EntityID
  /// The entity without the import's changes of existing entities; nil if it is not live.
  let entity: StoredEntity?
  /// Whether the entity is live and already equals the only object about it. It is then not read.
  let isSame: Bool
  /// The entity's number, if the backend assigns numbers and the entity existed.
  let number: Int64?
  /// Whether its derived identifier belongs to another entity.
  let isFresh: Bool
  /// Whether the entity is live now, but was not yet at the time of the import.
  let isLater: Bool
  /// Whether the part of the document created it.
  var isCreated = false
  /// The place of its pending row, if it is new.
  var row: RowBatches.Place?

  init(_ id: EntityID, _ entity: StoredEntity? = nil, isFresh: Bool = false, isLater: Bool = false)
  {
    self.id = id
    self.entity = entity
    isSame = false
    number = entity?.number
    self.isFresh = isFresh
    self.isLater = isLater
  }

  /// Creates a subject whose entity already equals the document.
  init(_ id: EntityID, number: Int64?) {
    self.id = id
    self.number = number
    entity = nil
    isSame = true
    isFresh = false
    isLater = false
  }
}
