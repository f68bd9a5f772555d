public import VarveCore

/// The outcome of an import or a dry run.
public struct ImportReport: Sendable {
  /// A value of a document that could not be used, or another observation.
  public struct Diagnostic: Hashable, Sendable {
    /// The place, as a JSON pointer (RFC 6901): `/books/3/published`.
    public let pointer: String
    /// The reason.
    public let reason: String
  }

  /// The change of one entity.
  public struct Change: Sendable {
    /// The kind of change.
    public enum Kind: String, Hashable, Sendable {
      /// The entity was not live.
      case created
      /// The entity gets values or relations it did not have.
      case changed
      /// The entity is erased, or dies with its owners.
      case ended
    }

    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// The kind of change.
    public let kind: Kind
    /// The properties written: the old value and the new one, nil if there is none.
    public let properties: [PropertyKey: (old: Value?, new: Value?)]
    /// The to-many properties written: the old elements and the new ones, nil if it was, or is, not
    /// to-many.
    public let collections: [PropertyKey: (old: [EntityID]?, new: [EntityID]?)]
    /// The relations that change, apart from those of properties.
    public let relations: Set<PropertyKey>

    /// The names of everything that changes, sorted.
    public var keys: [PropertyKey] {
      relations.union(properties.keys).union(collections.keys).sorted()
    }
  }

  /// The maximum number of diagnostics and changes that are listed; all are counted.
  public static let listedCount = 1_000

  /// The entities of the top-level objects, in the order of the document; empty unless requested.
  public internal(set) var ids: [EntityID] = []
  /// The number of objects that became new entities, without stubs, which have only their
  /// identifying value.
  public internal(set) var createdCount = 0
  /// The number of objects that changed an entity.
  public internal(set) var changedCount = 0
  /// The number of objects that changed nothing.
  public internal(set) var unchangedCount = 0
  /// The number of entities that ended: those that a complete document omits, former targets of
  /// relations with the policy `replace`, and those that died with them.
  public internal(set) var endedCount = 0
  /// The number of stubs: new entities with only their identifying value, which no object of the
  /// document described.
  public internal(set) var stubCount = 0
  /// The counts for each type of entity that objects were mapped to.
  public internal(set) var byType: [EntityType: Tally] = [:]
  /// The values that could not be used.
  public internal(set) var diagnostics: [Diagnostic] = []
  /// The total number of diagnostics.
  public internal(set) var diagnosticCount = 0
  /// If something changes: the choices in the mappings that may have an effect nobody wants. See
  /// ``Mappings/notes``.
  public internal(set) var notes: [Diagnostic] = []
  /// The changes of a dry run.
  public internal(set) var changes: [Change] = []
  /// The commit; nil if nothing was written.
  public internal(set) var commit: CommitSummary?

  /// The counts of one type.
  public struct Tally: Hashable, Sendable {
    /// As ``ImportReport/createdCount``.
    public internal(set) var created = 0
    /// As ``ImportReport/changedCount``.
    public internal(set) var changed = 0
    /// As ``ImportReport/unchangedCount``.
    public internal(set) var unchanged = 0
    /// As ``ImportReport/endedCount``.
    public internal(set) var ended = 0

    /// Creates a tally of zeros.
    public init() {}
  }

  mutating func note(_ pointer: String, _ reason: String) {
    diagnosticCount += 1
    guard diagnostics.count < Self.listedCount else { return }
    diagnostics.append(Diagnostic(pointer: pointer, reason: reason))
  }
}

/// The progress of an import.
public struct ImportProgress: Hashable, Sendable {
  /// The number of completed steps: one for the beginning, one for each top-level object, one for
  /// the commit.
  public let completedCount: Int
  /// The total number of steps, if the number of objects is known.
  public let totalCount: Int?
  /// The number of bytes of the document that were read.
  public let byteCount: Int
  /// The total number of bytes, if known.
  public let totalByteCount: Int?
}
