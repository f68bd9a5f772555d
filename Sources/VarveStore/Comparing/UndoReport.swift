public import VarveCore

/// What an undo did: what ``Store/undo(_:author:message:)`` answers.
public struct UndoReport: Hashable, Sendable {
  /// The commit that undid; nil where nothing was left to undo.
  public internal(set) var commit: CommitSummary?
  /// Properties that have their earlier value again, or none as before.
  public internal(set) var properties: [PropertyName] = []
  /// Entities erased: those the commit had created or restored, with what they alone owned.
  public internal(set) var erased: [EntityID] = []
  /// Entities that came back: those the commit had erased, with what depended on them.
  public internal(set) var restored: [EntityID] = []
  /// Relations declared again.
  public internal(set) var related: [EdgeName] = []
  /// Relations taken back.
  public internal(set) var unrelated: [EdgeName] = []
  /// What was left as it is.
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
    /// The end that declares.
    public let source: EntityID
    /// The kind and name.
    public let relation: Relation
    /// The other end.
    public let target: EntityID
  }

  /// Something the commit did that was not undone.
  public struct Skipped: Hashable, Sendable {
    /// The entity.
    public let entity: EntityID
    /// The property; nil where the entity's life or a relation is meant.
    public let key: PropertyKey?
    /// The relation, where one is meant.
    public let edge: EdgeName?
    /// Why.
    public let reason: Reason
    /// The commit that changed it since, where one did.
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

  /// Why something was not undone.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A later commit changed it, or what would go with it.
    case changedSince
    /// The entity, or an end of the relation, is not live.
    case notLive
    /// It would stay dead with its owners.
    case ownersDead
    /// The commit erased it and created it anew.
    case createdAnew
  }
}
