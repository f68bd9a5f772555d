public import VarveCore

/// What an import did, or would do.
public struct ImportReport: Sendable {
  /// A value of a document that could not be used, or something else worth knowing.
  public struct Diagnostic: Hashable, Sendable {
    /// Where it stands, as a JSON pointer (RFC 6901): `/books/3/published`.
    public let pointer: String
    /// Why.
    public let reason: String
  }

  /// What happens to one entity.
  public struct Change: Sendable {
    /// What it comes to.
    public enum Kind: String, Hashable, Sendable {
      /// It was not live.
      case created
      /// It gets values or relations it did not have.
      case changed
      /// It is erased, or dies with its owners.
      case ended
    }

    /// The entity.
    public let id: EntityID
    /// Its type.
    public let type: EntityType
    /// What it comes to.
    public let kind: Kind
    /// The properties that are written: the old value and the new one, nil where there is none. Of
    /// a relation to many, no values are told.
    public let properties: [PropertyKey: (old: Value?, new: Value?)]
  }

  /// At most so many diagnostics and changes are listed; all are counted.
  public static let listedCount = 1_000

  /// The entities of the top-level objects, in the order of the document; empty where they were not
  /// asked for.
  public internal(set) var ids: [EntityID] = []
  /// How many objects became new entities; stubs that only hold their identifying value apart.
  public internal(set) var createdCount = 0
  /// How many objects changed an entity.
  public internal(set) var changedCount = 0
  /// How many objects said nothing new.
  public internal(set) var unchangedCount = 0
  /// How many entities ended: those a complete document leaves out, what replaced relations gave up,
  /// and what died with them.
  public internal(set) var endedCount = 0
  /// How many entities were made that only hold their identifying value, and were not filled.
  public internal(set) var stubCount = 0
  /// The same, of each type of entities that objects were mapped to.
  public internal(set) var byType: [EntityType: Tally] = [:]
  /// What could not be used.
  public internal(set) var diagnostics: [Diagnostic] = []
  /// How many diagnostics there were.
  public internal(set) var diagnosticCount = 0
  /// What a dry run would have changed.
  public internal(set) var changes: [Change] = []
  /// The commit; nil where nothing was written.
  public internal(set) var commit: CommitSummary?

  /// What became of the entities of one type.
  public struct Tally: Hashable, Sendable {
    /// As ``ImportReport/createdCount``.
    public internal(set) var created = 0
    /// As ``ImportReport/changedCount``.
    public internal(set) var changed = 0
    /// As ``ImportReport/unchangedCount``.
    public internal(set) var unchanged = 0
    /// As ``ImportReport/endedCount``.
    public internal(set) var ended = 0

    /// Nothing of anything.
    public init() {}
  }

  mutating func note(_ pointer: String, _ reason: String) {
    diagnosticCount += 1
    guard diagnostics.count < Self.listedCount else { return }
    diagnostics.append(Diagnostic(pointer: pointer, reason: reason))
  }
}

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
  /// Steps done: one for the beginning, one for each top-level object, one for the commit.
  public let completedCount: Int
  /// Steps in all, where the number of objects is known.
  public let totalCount: Int?
  /// How many bytes of the document were read.
  public let byteCount: Int
  /// Of how many, where that is known.
  public let totalByteCount: Int?
}
