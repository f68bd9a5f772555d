import VarveCore

/// The inverses that a document changes, with their targets.
struct InverseSlots {
  /// The targets of one inverse, before and after.
  struct Slot {
    let inverse: CompiledMapping.Inverse
    let type: EntityType
    let entity: StoredEntity?
    /// The targets that the property has without inverses.
    let former: [EntityID]
    private var removed: Set<EntityID> = []
    private var added: [EntityID] = []

    init(
      _ inverse: CompiledMapping.Inverse,
      _ type: EntityType,
      _ entity: StoredEntity?,
      _ former: [EntityID]
    ) {
      self.inverse = inverse
      self.type = type
      self.entity = entity
      self.former = former
    }

    /// The targets: the former ones that stay, in their order, then the new ones.
    var targets: [EntityID] { former.filter { !removed.contains($0) } + added }

    var isChanged: Bool { targets != former }

    func contains(_ target: EntityID) -> Bool {
      added.contains(target) || former.contains(target) && !removed.contains(target)
    }

    /// Adds a target; a to-one property gets it instead of its former one.
    mutating func add(_ target: EntityID) {
      if inverse.link == nil {
        removed = Set(former)
        added = []
      }
      guard !contains(target) else { return }
      if former.contains(target) { removed.remove(target) } else { added.append(target) }
    }

    mutating func remove(_ target: EntityID) {
      removed.insert(target)
      added.removeAll { $0 == target }
    }
  }

  private var slots: [RelationTask.Key: Slot] = [:]
  /// The entities that are not live.
  private var absent: Set<EntityID> = []
  private var order: [RelationTask.Key] = []

  /// The inverses in the order in which they were first named.
  var all: [(key: RelationTask.Key, slot: Slot)] {
    order.compactMap { key in slots[key].map { (key, $0) } }
  }

  subscript(key: RelationTask.Key) -> Slot? { slots[key] }

  /// Changes an inverse, after loading it if it was not named before. Nothing happens if the entity
  /// is not live.
  mutating func change(
    _ key: RelationTask.Key,
    load: () async throws -> Slot?,
    _ body: (inout Slot) -> Void
  ) async throws {
    if slots[key] == nil {
      guard !absent.contains(key.source) else { return }
      guard let slot = try await load() else {
        absent.insert(key.source)
        return
      }
      slots[key] = slot
      order.append(key)
    }
    if var slot = slots.removeValue(forKey: key) {
      body(&slot)
      slots[key] = slot
    }
  }
}
