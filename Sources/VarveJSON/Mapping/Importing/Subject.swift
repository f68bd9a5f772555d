import VarveCore

/// The entity that objects of one part of a document are about.
final class Subject {
  let id: EntityID
  /// As it is without what the import does to entities there were; nil where it is not live.
  let entity: Entity?
  /// Whether it is live, and all that the only object about it says. Then it is not read.
  let isSame: Bool
  /// Its number, if the backend gives numbers and it was there.
  let number: Int64?
  /// Whether its derived identifier belongs to another entity.
  let isFresh: Bool
  /// Whether it is live now, and was not yet at the time the import is for.
  let isLater: Bool
  /// Whether the part of the document created it.
  var isCreated = false
  /// Where its row waits, if it is new.
  var row: RowBatches.Place?

  init(_ id: EntityID, _ entity: Entity? = nil, isFresh: Bool = false, isLater: Bool = false) {
    self.id = id
    self.entity = entity
    isSame = false
    number = entity?.number
    self.isFresh = isFresh
    self.isLater = isLater
  }

  /// An entity that is as the document says.
  init(_ id: EntityID, number: Int64?) {
    self.id = id
    self.number = number
    entity = nil
    isSame = true
    isFresh = false
    isLater = false
  }
}
