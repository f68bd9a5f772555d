import VarveCore

/// Counts up what happens to entities, so that each stands in one list in the end.
struct ChangeTally {
  private enum State {
    case added
    case deleted
    case changed
    /// Added and deleted: nobody ever saw it.
    case passed
  }

  private var order: [EntityID] = []
  private var states: [EntityID: State] = [:]
  private var keys: [EntityID: Set<PropertyKey>] = [:]
  /// Those that died, in the order in which it is told.
  private var deaths: [EntityID] = []

  init() {}

  init(_ changes: ChangeSet) {
    for id in changes.added { live(id) }
    for id in changes.deleted { die(id) }
    for id in changes.changed { change(id) }
    keys = changes.keysByEntity
  }

  /// An entity was created, or came back.
  mutating func live(_ id: EntityID) {
    switch states[id] {
    case nil: set(id, .added)
    case .passed: states[id] = .added
    case .deleted:
      states[id] = .changed
      deaths.removeAll { $0 == id }
    case .added, .changed: break
    }
  }

  /// An entity died.
  mutating func die(_ id: EntityID) {
    switch states[id] {
    case .added: states[id] = .passed
    case .deleted, .passed: break
    case nil, .changed:
      set(id, .deleted)
      deaths.append(id)
    }
  }

  /// An entity was written to, a property of it if there is a key.
  mutating func change(_ id: EntityID, _ key: PropertyKey? = nil) {
    if states[id] == nil { set(id, .changed) }
    if let key, states[id] == .changed { keys[id, default: []].insert(key) }
  }

  private mutating func set(_ id: EntityID, _ state: State) {
    if states[id] == nil { order.append(id) }
    states[id] = state
  }

  /// Tells deaths in this order; those it does not name come last.
  mutating func orderDeaths(_ ids: [EntityID]) {
    let named = Set(ids)
    deaths = deaths.filter { !named.contains($0) } + ids.filter { states[$0] == .deleted }
  }

  /// All entities that stand in a list.
  var entities: [EntityID] { order.filter { states[$0] != .passed } }

  /// Writes the lists.
  func put(into changes: inout ChangeSet) {
    changes.added = order.filter { states[$0] == .added }
    changes.changed = order.filter { states[$0] == .changed }
    changes.deleted = deaths.filter { states[$0] == .deleted }
    changes.keysByEntity = keys.filter { states[$0.key] == .changed }
  }
}
