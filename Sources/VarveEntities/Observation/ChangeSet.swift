public import VarveCore

/// The changes of one transaction: entities and keys, without values, which can be read when
/// needed.
///
/// An entity is in exactly one of ``added``, ``erased`` and ``changed``, by the net effect of the
/// transaction.
public struct ChangeSet: Hashable, Sendable {
  /// The origin of changes.
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
    /// Several of these, joined because the subscriber did not keep up.
    case several
  }

  /// The origin of the changes.
  public internal(set) var origin: Origin
  /// The call that made the changes; ``ChangeAction/write`` if unknown.
  public internal(set) var action: ChangeAction
  /// Entities that came to life, in creation order.
  public internal(set) var added: [EntityID] = []
  /// Entities that died: those erased, and what they alone owned, depth first.
  public internal(set) var erased: [EntityID] = []
  /// Entities that were alive before and after, in the order they were first changed.
  public internal(set) var changed: [EntityID] = []
  /// The keys written of each changed entity; none if only its relations or its dates changed. If
  /// it died and was created anew or restored in between, or another store purged it, all keys that
  /// its history has, because it may have lost them. Of keys that such a purge took, nothing may be
  /// left; those are not listed.
  public internal(set) var keysByEntity: [EntityID: Set<PropertyKey>] = [:]
  /// The keys that some of the added entities ever had: those that were dead before. If such an
  /// entity died in an earlier set that this one is joined with, it may have lost any of them. Of
  /// erased entities, the keys that a purge took: a later set that adds them does not know these.
  var formerKeys: [EntityID: Set<PropertyKey>] = [:]
  /// The types of all these entities.
  public internal(set) var types: Set<EntityType> = []
  /// The newest commit of the changes.
  public internal(set) var commit: CommitSummary
  /// The number of commits of the changes.
  public internal(set) var commitCount = 1
  /// Where a subscriber continues that has received these changes.
  var place = ChangePlace()

  /// The frontier from which a later subscription continues without loss; nil if it is unknown.
  /// Some changes may come twice.
  package internal(set) var resumption: Frontier? {
    get { place.frontier }
    set { place.frontier = newValue }
  }

  /// The keys written of any changed entity, in byte order.
  public var keys: [PropertyKey] {
    keysByEntity.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
  }

  /// Whether it contains no entity.
  public var isEmpty: Bool { added.isEmpty && erased.isEmpty && changed.isEmpty }
}

/// A place in a subscription. It is no part of what the changes are, so any two are equal.
struct ChangePlace: Hashable, Sendable {
  var frontier: Frontier?

  static func == (left: ChangePlace, right: ChangePlace) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// The call that made changes, by the method's name.
public struct ChangeAction: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name, such as `set`.
  public let rawValue: String

  /// Creates an action with a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates an action with a name.
  public init(stringLiteral value: String) { rawValue = value }

  /// A write closure, or an unknown call.
  public static let write: ChangeAction = "write"
  /// References were looked up, and some created.
  public static let findOrCreate: ChangeAction = "findOrCreate"
  /// Differences were written.
  public static let update: ChangeAction = "update"
  /// Properties were removed.
  public static let remove: ChangeAction = "remove"
  /// Entities were erased.
  public static let erase: ChangeAction = "erase"
  /// Entities were created.
  public static let create: ChangeAction = "create"
  /// Values were set.
  public static let set: ChangeAction = "set"
  /// Entities were saved.
  public static let save: ChangeAction = "save"
  /// Relations were declared.
  public static let relate: ChangeAction = "relate"
  /// Relations were removed.
  public static let unrelate: ChangeAction = "unrelate"
  /// Entities were restored.
  public static let restore: ChangeAction = "restore"
  /// A commit was undone.
  public static let undo: ChangeAction = "undo"
  /// Documents were imported.
  public static let `import`: ChangeAction = "import"
  /// Commits were merged.
  public static let merge: ChangeAction = "merge"
}

extension ChangeSet {
  /// Returns both, in this order, as one.
  package func joined(with next: ChangeSet) -> ChangeSet { joined(with: [next]) }

  /// Returns this and later ones, in order, as one.
  ///
  /// - Complexity: O(entities of all).
  func joined(with later: [ChangeSet]) -> ChangeSet {
    var tally = ChangeTally(self)
    var joined = self
    for next in later {
      tally.follow(next)
      joined.types.formUnion(next.types)
      joined.commit = next.commit
      joined.commitCount += next.commitCount
      joined.resumption = next.resumption
      if joined.origin != next.origin { joined.origin = .several }
      if joined.action != next.action { joined.action = .write }
    }
    tally.put(into: &joined)
    return joined
  }

  /// The number of entities in its lists.
  var entityCount: Int { added.count + erased.count + changed.count }
}
