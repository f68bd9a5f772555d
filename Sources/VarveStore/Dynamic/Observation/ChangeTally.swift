import VarveCore

/// Accumulates changes, so that each entity ends up in one list.
struct ChangeTally {
  private enum State {
    case added
    case deleted
    case changed
    /// Added and deleted again, so not reported.
    case passed
  }

  private var order: [EntityID] = []
  private var states: [EntityID: State] = [:]
  private var keys: [EntityID: Set<PropertyKey>] = [:]
  /// The entities that died and were created anew. They may have lost properties.
  private(set) var reborn: Set<EntityID> = []
  /// The entities that died, in the order to report.
  private var deaths: [EntityID] = []

  init() {}

  init(_ changes: ChangeSet) {
    for id in changes.added { live(id) }
    for id in changes.erased { die(id) }
    for id in changes.changed { change(id) }
    keys = changes.keysByEntity
  }

  /// Records that an entity was created or restored.
  mutating func live(_ id: EntityID) {
    switch states[id] {
    case nil: set(id, .added)
    case .passed: states[id] = .added
    case .deleted:
      states[id] = .changed
      reborn.insert(id)
      deaths.removeAll { $0 == id }
    case .added, .changed: break
    }
  }

  /// Records that an entity died.
  mutating func die(_ id: EntityID) {
    switch states[id] {
    case .added: states[id] = .passed
    case .deleted, .passed: break
    case nil, .changed:
      set(id, .deleted)
      deaths.append(id)
    }
  }

  /// Records that an entity changed, in a property if there is a key.
  mutating func change(_ id: EntityID, _ key: PropertyKey? = nil) {
    if states[id] == nil { set(id, .changed) }
    if let key, states[id] == .changed { keys[id, default: []].insert(key) }
  }

  private mutating func set(_ id: EntityID, _ state: State) {
    if states[id] == nil { order.append(id) }
    states[id] = state
  }

  /// Orders the deaths like these identifiers, after those not among them.
  mutating func orderDeaths(_ ids: [EntityID]) {
    let named = Set(ids)
    deaths = deaths.filter { !named.contains($0) } + ids.filter { states[$0] == .deleted }
  }

  /// All entities in any list.
  var entities: [EntityID] { order.filter { states[$0] != .passed } }

  /// The entities that came to life or died.
  var lives: [EntityID] { order.filter { states[$0] == .added || states[$0] == .deleted } }

  /// The properties of the entities that changed otherwise.
  var changedKeys: [(entity: EntityID, keys: Set<PropertyKey>)] {
    order.filter { states[$0] == .changed }.map { ($0, keys[$0] ?? []) }
  }

  /// Writes the lists to a change set.
  func put(into changes: inout ChangeSet) {
    changes.added = order.filter { states[$0] == .added }
    changes.changed = order.filter { states[$0] == .changed }
    changes.erased = deaths.filter { states[$0] == .deleted }
    changes.keysByEntity = keys.filter { states[$0.key] == .changed }
  }
}
