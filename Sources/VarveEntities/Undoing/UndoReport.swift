public import VarveCore

/// The outcome of an undo, as returned by ``Store/undo(_:author:message:)``.
public struct UndoReport: Hashable, Sendable {
  /// The commit of the undo; nil if nothing was left to undo.
  public internal(set) var commit: CommitSummary?
  /// The properties that have their earlier value again, from the times for which the commit wrote
  /// them. A property that had no value before has none again.
  public internal(set) var properties: [PropertyName] = []
  /// The entities erased: those the commit created or restored, and what they alone owned.
  public internal(set) var erased: [EntityID] = []
  /// The entities restored: those the commit erased, and those that died with them.
  public internal(set) var restored: [EntityID] = []
  /// The relations declared again.
  public internal(set) var related: [EdgeName] = []
  /// The relations removed.
  public internal(set) var unrelated: [EdgeName] = []
  /// The changes that were not undone.
  public internal(set) var skipped: [Skipped] = []

  /// A property of an entity.
  public struct PropertyName: Hashable, Sendable {
    /// The entity.
    public let entity: EntityID
    /// The key.
    public let key: PropertyKey
  }

  /// A relation between two entities.
  public struct EdgeName: Hashable, Sendable {
    /// The end that declares the relation.
    public let source: EntityID
    /// The kind and name.
    public let relation: Relation
    /// The other end.
    public let target: EntityID
  }

  /// A change of the commit that was not undone.
  public struct Skipped: Hashable, Sendable {
    /// The entity.
    public let entity: EntityID
    /// The property; nil for the entity's life or a relation.
    public let key: PropertyKey?
    /// The relation; nil for other changes.
    public let edge: EdgeName?
    /// The reason.
    public let reason: Reason
    /// The commit that has changed it since, if any.
    public let changedBy: CommitSummary?

    init(
      _ entity: EntityID,
      key: PropertyKey? = nil,
      edge: EdgeName? = nil,
      _ reason: Reason,
      by changedBy: CommitSummary? = nil
    ) {
      self.entity = entity
      self.key = key
      self.edge = edge
      self.reason = reason
      self.changedBy = changedBy
    }
  }

  /// The reason why a change was not undone.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A later commit changed it, or something that would be affected.
    case changedSince
    /// The entity, or an end of the relation, is not live.
    case notLive
    /// The entity would stay dead with its owners.
    case ownersDead
    /// The commit created the entity anew, so its former life does not return: neither its values
    /// nor its relations and owners. It is erased again, unless the commit had erased it too. Of a
    /// relation: the commit removed it from a former life of the owner, which it cannot return to.
    case createdAnew
    /// The value before it may have been forgotten by a compaction, so the property stays as it is.
    case compacted
    /// The commit settled a conflict, which stays settled, because the undo has seen all concurrent
    /// writes. A property has its earlier value again; an entity stays dead or alive as before.
    case conflictSettled
    /// Another commit created, restored or erased the entity too, or declared the relation, so it
    /// stays as it is.
    case doneByAnother
  }
}
