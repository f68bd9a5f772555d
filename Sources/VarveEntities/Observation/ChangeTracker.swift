import Synchronization
import VarveCore

/// Tracks the changes of a local commit while it is written.
final class ChangeTracker {
  /// The changes so far.
  private(set) var draft = ChangeDraft()

  private var tally: ChangeTally {
    get { draft.tally }
    _modify { yield &draft.tally }
  }

  private var types: Set<EntityType> {
    get { draft.types }
    _modify { yield &draft.types }
  }

  /// Undoes the changes since an earlier draft.
  func restore(_ earlier: ChangeDraft) { draft = earlier }

  /// Records created rows.
  func created(_ table: Creations, but known: [Int]) {
    types.insert(table.type)
    let known = Set(known)
    for (index, id) in table.ids.enumerated() where !known.contains(index) { tally.live(id) }
  }

  /// Records the properties that an entity is about to lose by a purge, which leaves no history of
  /// them.
  func forgets(_ id: EntityID, in reader: any BackendReader) async throws {
    try await meet(id, in: reader)
    tally.purge(id, try await draft.formerKeys(of: id, reader))
  }

  /// Records what the entities of a cell are before it is written.
  func meet(_ content: Cell.Content, of id: EntityID, in reader: any BackendReader) async throws {
    try await meet(id, in: reader)
    switch content {
    case .life(.recreated):
      // Observers of its former type and owners are notified.
      if let type = try await reader.label(of: id) { types.insert(type) }
      draft.formerOwners[id, default: []] += try await reader.edges(to: id, of: .owns).map(\.source)
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      if relation.kind == .owns { try await meet(target, in: reader) }
    case .life, .value, .removal, .collection: break
    }
  }

  private func meet(_ id: EntityID, in reader: any BackendReader) async throws {
    guard !tally.knows(id) else { return }
    let status = try await reader.status(of: id)
    if case .live(let type) = status {
      // A creation for an earlier date may change the type.
      types.insert(type)
      tally.meet(id, isLive: true)
    } else {
      tally.meet(id, isLive: false, wasDead: status != .unknown)
    }
  }

  /// Records a written cell.
  func applied(_ content: Cell.Content, to id: EntityID, _ lives: LifeChanges) {
    switch content {
    case .life(.created(let type, _)), .life(.recreated(let type, _)):
      types.insert(type)
      tally.live(id)
    case .life: break
    case .value(let key, _, _), .removal(let key), .collection(let key): tally.change(id, key)
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      tally.change(id, relation.kind == .member ? relation.name : nil)
      if relation.kind == .owns { tally.change(target) }
    }
    follow(lives)
  }

  /// Records written cells that count as one.
  func applied(_ cells: [WrittenCell], _ lives: LifeChanges) {
    for cell in cells { applied(cell.content, to: cell.entity, .none) }
    follow(lives)
  }

  private func follow(_ lives: LifeChanges) {
    for id in lives.died { tally.die(id) }
    for id in lives.revived {
      // What it holds may have changed since it died.
      tally.meet(id, isLive: false, wasDead: true)
      tally.live(id)
    }
  }

  /// Records live entities of a type that were erased and took no others with them.
  func erased(_ ids: [EntityID], of type: EntityType) {
    types.insert(type)
    for id in ids { tally.die(id) }
    tally.orderDeaths(ids)
  }

  /// Records the order in which entities died.
  func died(_ ids: [EntityID]) { tally.orderDeaths(ids) }

  /// Returns the changes.
  func changes(_ reader: any BackendReader) async throws -> ChangeDraft {
    var draft = draft
    for id in draft.tally.reborn {
      try await draft.addFormerKeys(of: id, reader)
      // Its former life is not owned any more.
      for owner in draft.formerOwners[id] ?? [] where try await reader.entity(owner) != nil {
        draft.tally.change(owner)
      }
    }
    try await draft.addTypes(of: draft.tally.entities, reader)
    return draft
  }
}

/// Changes without a commit yet.
struct ChangeDraft: Sendable {
  var tally = ChangeTally()
  var types: Set<EntityType> = []
  /// The owners of the former lives of entities that were created anew.
  var formerOwners: [EntityID: [EntityID]] = [:]

  /// Adds the types that entities have, or had when they last lived.
  mutating func addTypes(
    of ids: some Sequence<EntityID>,
    _ reader: any BackendReader
  ) async throws {
    for id in ids {
      if let type = try await reader.label(of: id) { types.insert(type) }
    }
  }

  /// Adds the keys that an entity ever had. What its former life had is gone, although no cell says
  /// so.
  mutating func addFormerKeys(of id: EntityID, _ reader: any BackendReader) async throws {
    for key in try await formerKeys(of: id, reader) { tally.change(id, key) }
  }

  /// Returns the keys that an entity ever had.
  func formerKeys(
    of id: EntityID,
    _ reader: any BackendReader
  ) async throws -> Set<PropertyKey> {
    var keys: [PropertyKey]
    do {
      keys = try await reader.history(of: id, key: nil, limit: nil).compactMap(\.content.key)
    } catch let error as VarveError where error.code == .historyAwaited {
      // What is known of its history is what it has.
      keys = try await reader.entity(id)?.keys ?? []
    }
    return Set(keys + (try await reader.collections(of: id)))
  }

  func changes(
    _ origin: ChangeSet.Origin,
    _ action: ChangeAction,
    _ commit: CommitSummary,
    commitCount: Int = 1
  ) -> ChangeSet {
    var changes = ChangeSet(origin: origin, action: action, commit: commit)
    changes.types = types
    changes.commitCount = commitCount
    tally.put(into: &changes)
    return changes
  }
}

/// Holds the changes of a transaction until it is committed.
final class ChangeHandover: Sendable {
  private let draft = Mutex<ChangeDraft?>(nil)
  private let isAnnounced = Mutex(false)

  func put(_ changes: ChangeDraft) { draft.withLock { $0 = changes } }

  func take() -> ChangeDraft? { draft.withLock { $0 } }

  /// Announces to a hub that a transaction is about to be committed.
  func announce(to hub: ChangeHub) {
    isAnnounced.withLock { $0 = true }
    hub.beginPublishing()
  }

  /// Reports to the hub that the changes were published. Returns whether the log must be read.
  func conclude(_ hub: ChangeHub) -> Bool {
    let wasAnnounced = isAnnounced.withLock { announced in
      defer { announced = false }
      return announced
    }
    return wasAnnounced && hub.endPublishing()
  }
}
