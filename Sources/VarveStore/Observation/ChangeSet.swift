public import VarveCore

/// What one transaction changed: entities and keys, without values, which can be read when they are
/// wanted.
///
/// An entity stands in one of ``added``, ``deleted`` and ``changed``, by what the transaction did
/// to it in the end.
public struct ChangeSet: Hashable, Sendable {
  /// Who made the changes.
  public enum Origin: String, Hashable, Sendable, CaseIterable {
    /// A write through this `Store`.
    case local
    /// Another process, or another `Store`, that has the same file open.
    case elsewhere
    /// A merge from another copy.
    case merge
    /// Commits that were withheld until the clock came near them (R11).
    case due
    /// Commits from before the subscription, read from the log.
    case past
    /// Several of these: a subscriber that did not keep up is told of all together.
    case several
  }

  /// Who made the changes.
  public internal(set) var origin: Origin
  /// Which call made them: ``ChangeAction/write`` where that is not known.
  public internal(set) var action: ChangeAction
  /// Entities that live since, in the order of their creation.
  public internal(set) var added: [EntityID] = []
  /// Entities that died by it: those erased, and what they alone owned, in the order owners reach
  /// it.
  public internal(set) var deleted: [EntityID] = []
  /// Entities that lived before and after, in the order they were first changed.
  public internal(set) var changed: [EntityID] = []
  /// The keys written of each entity that changed; none where only its relations did.
  public internal(set) var keysByEntity: [EntityID: Set<PropertyKey>] = [:]
  /// The types of all these entities.
  public internal(set) var types: Set<EntityType> = []
  /// The newest commit behind it: when, by whom, and why.
  public internal(set) var commit: CommitSummary
  /// How many commits there are behind it.
  public internal(set) var commitCount = 1

  /// The keys written of any entity that changed, in byte order.
  public var keys: [PropertyKey] {
    keysByEntity.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
  }

  /// Whether it names no entity.
  public var isEmpty: Bool { added.isEmpty && deleted.isEmpty && changed.isEmpty }
}

/// Which call made changes.
public struct ChangeAction: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name, such as `add`.
  public let rawValue: String

  /// Wraps a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Wraps a name.
  public init(stringLiteral value: String) { rawValue = value }

  /// A closure of writes, or a call that is not known.
  public static let write: ChangeAction = "write"
  /// References were looked up, and some created.
  public static let get: ChangeAction = "get"
  /// Values were added through references.
  public static let add: ChangeAction = "add"
  /// What differed was written.
  public static let update: ChangeAction = "update"
  /// Properties were removed.
  public static let remove: ChangeAction = "remove"
  /// Entities were erased.
  public static let delete: ChangeAction = "delete"
  /// Entities were created.
  public static let create: ChangeAction = "create"
  /// Values were set.
  public static let set: ChangeAction = "set"
  /// Entities were saved.
  public static let save: ChangeAction = "save"
  /// Relations were declared.
  public static let relate: ChangeAction = "relate"
  /// Relations were taken back.
  public static let unrelate: ChangeAction = "unrelate"
  /// Entities were brought back.
  public static let restore: ChangeAction = "restore"
  /// A commit was undone.
  public static let undo: ChangeAction = "undo"
  /// Documents were imported.
  public static let `import`: ChangeAction = "import"
  /// Commits were taken over.
  public static let merge: ChangeAction = "merge"
}

extension ChangeSet {
  /// Both, one after the other, as one.
  func joined(with next: ChangeSet) -> ChangeSet {
    var tally = ChangeTally(self)
    for id in next.deleted { tally.die(id) }
    for id in next.added { tally.live(id) }
    for id in next.changed {
      tally.change(id)
      for key in next.keysByEntity[id] ?? [] { tally.change(id, key) }
    }
    var joined = self
    tally.put(into: &joined)
    joined.types.formUnion(next.types)
    joined.commit = next.commit
    joined.commitCount += next.commitCount
    if joined.origin != next.origin { joined.origin = .several }
    if joined.action != next.action { joined.action = .write }
    return joined
  }
}
