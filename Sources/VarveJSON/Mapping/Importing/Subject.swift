import VarveCore

/// The entity that objects of one part of a document are about.
final class Subject {
  let id: EntityID
  /// As it is without what the import does to entities there were; nil where it is not live.
  let entity: Entity?
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
    self.isFresh = isFresh
    self.isLater = isLater
  }
}
