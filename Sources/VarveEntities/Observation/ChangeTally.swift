import VarveCore

/// Accumulates changes, so that each entity ends up in one list.
///
/// Which list is decided by whether the entity lived before the changes and lives after them, and
/// by nothing that was written in between.
struct ChangeTally {
  private struct Fate {
    let wasLive: Bool
    /// Whether it was dead before. Its properties from when it last lived may be gone.
    let wasDead: Bool
    var isLive: Bool
    /// Whether it lived at any time.
    var hasLived: Bool
    /// Whether it died and was created or restored afterwards. It may have lost properties.
    var isReborn = false
    var keys: Set<PropertyKey> = []
    /// The keys that a purge took, which no history has any more.
    var purgedKeys: Set<PropertyKey> = []
  }

  /// The entities that lived at any time, in the order in which they first changed or came to life.
  private var order: [EntityID] = []
  private var fates: [EntityID: Fate] = [:]
  /// The entities that died, in the order to report.
  private var deaths: [EntityID] = []

  init() {}

  init(_ changes: ChangeSet) { follow(changes) }

  /// Adds later changes.
  mutating func follow(_ changes: ChangeSet) {
    for id in changes.erased {
      die(id)
      purge(id, changes.formerKeys[id] ?? [])
    }
    for id in changes.added {
      let keys = changes.formerKeys[id]
      meet(id, isLive: false, wasDead: keys != nil)
      live(id)
      fates[id]?.keys.formUnion(keys ?? [])
    }
    for id in changes.changed {
      change(id)
      fates[id]?.keys.formUnion(changes.keysByEntity[id] ?? [])
    }
  }

  /// Returns whether an entity has been met.
  func knows(_ id: EntityID) -> Bool { fates[id] != nil }

  /// Returns whether an entity has been met, and lives.
  func isLive(_ id: EntityID) -> Bool { fates[id]?.isLive ?? false }

  /// Records whether an entity lived before it was first changed, or else was dead.
  mutating func meet(_ id: EntityID, isLive: Bool, wasDead: Bool = false) {
    guard fates[id] == nil else { return }
    fates[id] = Fate(wasLive: isLive, wasDead: wasDead, isLive: isLive, hasLived: isLive)
    if isLive { order.append(id) }
  }

  /// Records that an entity was created or restored.
  mutating func live(_ id: EntityID) {
    meet(id, isLive: false)
    guard var fate = fates[id], !fate.isLive else { return }
    if fate.hasLived { deaths.removeAll { $0 == id } } else { order.append(id) }
    fate.isReborn = fate.wasLive || fate.wasDead
    (fate.isLive, fate.hasLived) = (true, true)
    fates[id] = fate
  }

  /// Records that an entity died.
  mutating func die(_ id: EntityID) {
    meet(id, isLive: true)
    guard fates[id]?.isLive == true else { return }
    fates[id]?.isLive = false
    deaths.append(id)
  }

  /// Records that an entity changed, in a property if there is a key. One that was not met before
  /// lives.
  mutating func change(_ id: EntityID, _ key: PropertyKey? = nil) {
    meet(id, isLive: true)
    // The keys of what is new are not reported.
    if let key, let fate = fates[id], fate.wasLive || fate.isReborn { fates[id]?.keys.insert(key) }
  }

  /// Records that an entity, which has been met, is about to lose properties by a purge.
  mutating func purge(_ id: EntityID, _ keys: Set<PropertyKey>) {
    fates[id]?.purgedKeys.formUnion(keys)
  }

  /// Orders the deaths like these identifiers, after those not among them.
  mutating func orderDeaths(_ ids: [EntityID]) {
    let named = Set(ids)
    let listed = Set(deaths)
    deaths = deaths.filter { !named.contains($0) } + ids.filter(listed.contains)
  }

  /// The entities that came to life after they had been dead. They may have lost properties.
  var reborn: [EntityID] { order.filter { fates[$0].map { $0.isReborn && $0.isLive } ?? false } }

  /// All entities in any list.
  var entities: [EntityID] { order.filter { fates[$0].map { $0.wasLive || $0.isLive } ?? false } }

  /// The entities that came to life or died.
  var lives: [EntityID] {
    order.filter { fates[$0].map { $0.wasLive != $0.isLive || $0.isReborn } ?? false }
  }

  /// The entities that died, or came back to life.
  var deathsAndReturns: [EntityID] {
    order.filter { fates[$0].map { $0.wasLive && !$0.isLive || $0.isReborn } ?? false }
  }

  /// The properties of the entities that lived before and still live.
  var changedKeys: [(entity: EntityID, keys: Set<PropertyKey>)] {
    order.compactMap { id in
      guard let fate = fates[id], fate.wasLive, fate.isLive else { return nil }
      return (id, fate.keys)
    }
  }

  /// Writes the lists to a change set.
  func put(into changes: inout ChangeSet) {
    (changes.added, changes.changed) = ([], [])
    (changes.keysByEntity, changes.formerKeys) = ([:], [:])
    for id in order {
      guard let fate = fates[id], fate.isLive || fate.wasLive else { continue }
      let keys = fate.keys.union(fate.purgedKeys)
      if !fate.isLive {
        if !fate.purgedKeys.isEmpty { changes.formerKeys[id] = fate.purgedKeys }
      } else if fate.wasLive {
        changes.changed.append(id)
        if !keys.isEmpty { changes.keysByEntity[id] = keys }
      } else {
        changes.added.append(id)
        if fate.isReborn { changes.formerKeys[id] = keys }
      }
    }
    changes.erased = deaths.filter { fates[$0]?.wasLive == true }
  }
}
