import VarveCore
import VarveStore

/// Applies objects to existing entities.
extension ImportRun {
  /// Records the changes by an object.
  func change(_ subject: Subject, _ draft: Draft) async throws {
    ledger.met(subject, draft)
    let mapping = draft.mapping
    let entity = try await present(subject)
    var pending = net[subject.id]
    for index in mapping.keys.indices {
      guard let value = draft[index] else { continue }
      if pending == nil {
        if let entity, mapping.value(index, of: entity) == value { continue }
        pending = net.change(subject.id, mapping.mapping.entity, entity)
      }
      pending?.set(value, at: mapping.keys[index])
    }
    for index in draft.cleared {
      if pending == nil {
        guard let entity, mapping.value(index, of: entity) != nil else { continue }
        pending = net.change(subject.id, mapping.mapping.entity, entity)
      }
      pending?.set(nil, at: mapping.keys[index])
    }
    for targets in draft.targets { try await change(subject, entity, draft, targets) }
    net[subject.id]?.said = (draft.path, mapping)
    // Later objects must find the entity by its new value.
    if mappings.hasTypesWithSeveralKeys, let pending = net[subject.id],
      pending.values.keys.contains(where: { mappings.identifies($0, mapping.mapping.entity) })
    {
      try await rows.flush()
      try await writeChanges()
    }
  }

  /// Returns the entity without pending changes. If something was written already, because other
  /// objects find the entity by it, the entity is read again.
  private func present(_ subject: Subject) async throws -> StoredEntity? {
    guard mappings.hasTypesWithSeveralKeys else { return subject.entity }
    return try await reading.entity(subject.id) ?? subject.entity
  }

  /// Records the change of a relation by an object.
  private func change(
    _ subject: Subject,
    _ entity: StoredEntity?,
    _ draft: Draft,
    _ targets: Draft.Targets
  ) async throws {
    let ids = try await place(targets)
    let link = draft.mapping.links[targets.link]
    let (id, key) = (subject.id, link.relation.key)
    let type = draft.mapping.mapping.entity
    guard link.relation.many != nil else {
      let former = entity?[key]?.referenceValue
      let value = ids.first.map(Value.reference)
      if net[id] != nil || entity?[key] != value {
        net.change(id, type, entity).set(value, at: key)
      }
      guard link.needsMoreThanValues else { return }
      let targets = Array(ids.prefix(1))
      let change = RelationChange(link: link, former: former.map { [$0] } ?? [], targets: targets)
      return note(change, saying: targets, of: id, type, entity)
    }
    if link.policy == .merge, ids.isEmpty { return }
    let former = try await elements(of: id, key)
    if targets.isNull, former == nil {
      // The content of an earlier object is replaced, including its edges and inverses.
      let before = net[id]?.relations[key]?.targets ?? []
      net[id]?.relations[key] = nil
      guard link.relation.edge != nil || link.hasInverse, !before.isEmpty else { return }
      let change = RelationChange(link: link, former: nil, targets: [])
      return tasks.add(RelationTask(source: id, change: change, dropped: before))
    }
    let present = net[id]?.relations[key]?.targets ?? former ?? []
    let wanted = RelationChange.targets(present, ids, link)
    var change = RelationChange(link: link, former: former, targets: wanted)
    if link.policy == .merge { change.said = (net[id]?.relations[key]?.said ?? []) + ids }
    note(change, saying: ids, of: id, type, entity)
  }

  private func note(
    _ change: RelationChange,
    saying targets: [EntityID],
    of id: EntityID,
    _ type: EntityType,
    _ entity: StoredEntity?
  ) {
    let key = change.link.relation.key
    let before = net[id]?.relations[key]?.targets ?? []
    if change.isNothing {
      net[id]?.relations[key] = nil
    } else {
      net.change(id, type, entity).relations[key] = change
    }
    // Edges and inverses may still be missing.
    guard change.link.relation.edge != nil || change.link.hasInverse else { return }
    stated.say(targets, change.link, of: id)
    let kept = Set(change.targets)
    let dropped = RelationChange.unique((change.former ?? []) + before)
    tasks.add(
      RelationTask(source: id, change: change, dropped: dropped.filter { !kept.contains($0) })
    )
  }

  /// Writes all pending changes.
  func writeChanges() async throws {
    guard !net.isEmpty else { return }
    try await net.visit { change in
      try fill(change)
      guard !change.isEmpty else { return }
      try await write(change)
    }
    net.removeAll()
  }

  /// Fills in the values that the model gives a changed entity.
  private func fill(_ change: NetChanges.Change) throws {
    guard let said = change.said, rules[change.type] != nil else { return }
    let (path, mapping) = said
    let entity = StoredEntity(change.id, change.type, since: change.entity, change.values)
    let filled = try rules.filling(entity, since: change.entity, path, mapping)
    let changeKey = rules[change.type]?.changeKey
    for (key, value) in filled where key != changeKey { change.set(value, at: key) }
    // The date of the last change is set only if there is a change.
    if let changeKey, let date = filled[changeKey], !change.isEmpty {
      change.set(date, at: changeKey)
    }
  }

  private func write(_ change: NetChanges.Change) async throws {
    try await refuseLaterEnd(of: change)
    var hasChanged = false
    var edges: Set<PropertyKey> = []
    if !change.values.isEmpty {
      if past == nil {
        hasChanged = try await transaction.update(change.id, change.values)
      } else {
        try await transaction.set(change.id, change.values)
        hasChanged = true
      }
    }
    for key in change.relations.keys.sorted() {
      guard let relation = change.relations[key] else { continue }
      try await refuseLaterEdges(relation, of: change.id)
      if relation.link.relation.many != nil {
        hasChanged = try await writeCollection(relation, of: change.id) || hasChanged
      }
      if relation.link.policy == .replace { for id in relation.given { displacement.add(id) } }
      if try await writeEdges(relation, of: change.id) { edges.insert(key) }
    }
    guard hasChanged || !edges.isEmpty else { return }
    ledger.changed(change, edges: edges, isDated: past != nil)
  }
}
