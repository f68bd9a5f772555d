import VarveCore
import VarveStore

/// Writes relations with their edges and inverses.
extension ImportRun {
  /// Writes the relations that waited for the end of the part: first those in the objects, then
  /// their edges and inverses, in the order of the document. So the content of one object and the
  /// inverse of another have the same result for new and existing entities.
  func writeRelations() async throws {
    var (waiting, sayings) = tasks.takeAll()
    for index in waiting.indices {
      guard let written = try await write(waiting[index]) else { continue }
      waiting[index].change = written
    }
    for task in waiting {
      let (change, source) = (task.change, task.source)
      guard let dropped = task.dropped else {
        let kept = Set(change.targets)
        let replaced = RelationChange.unique(task.replaced).filter { !kept.contains($0) }
        try await takeBackInverse(change, of: replaced, naming: source)
        if task.isNull, change.former == nil { continue }
        if change.link.policy == .replace { for id in change.given { displacement.add(id) } }
        try await writeEdges(change, of: source)
        try await takeBackInverse(change, of: change.given, naming: source)
        continue
      }
      if change.isNothing, try await writeEdges(change, of: source) {
        try await noteEdges(of: source, change.link.relation.key)
      }
      try await takeBackInverse(change, of: dropped, naming: source)
    }
    var declared: [Int: Set<EntityID>] = [:]
    for saying in sayings {
      let task = waiting[saying.task]
      let targets = declared[saying.task] ?? Set(task.change.declared)
      declared[saying.task] = targets
      let lasting = saying.targets.filter { targets.contains($0) }
      try await writeInverse(task.change, of: lasting, naming: task.source)
    }
  }

  /// Records that an existing entity changed only in the edges of a relation.
  private func noteEdges(of id: EntityID, _ key: PropertyKey) async throws {
    guard let entity = try await reading.entity(id), !isOwn(entity) else { return }
    let change = NetChanges.Change(id, entity.type, entity)
    ledger.changed(change, edges: [key], isDated: past != nil)
  }

  /// Writes a to-many relation of an entity of this import. Returns the change.
  private func write(_ task: RelationTask) async throws -> RelationChange? {
    let change = task.change
    guard task.dropped == nil, change.link.relation.many != nil else { return nil }
    let present = try await elements(of: task.source, change.link.relation.key)
    if task.isNull, present == nil { return change }
    var written = RelationChange(
      link: change.link,
      former: present,
      targets: RelationChange.targets(present ?? [], change.targets, change.link)
    )
    if change.link.policy == .merge { written.said = change.targets }
    _ = try await writeCollection(written, of: task.source)
    return written
  }

  /// Returns the elements of a to-many relation, or nil if it was never set. Dead targets are
  /// included, because the document may create them again.
  func elements(of id: EntityID, _ key: PropertyKey) async throws -> [EntityID]? {
    if let past { return try await past.collection(of: id, key) }
    return try await transaction.reading { state in
      guard case .live = try await state.reader.status(of: id),
        try await state.reader.isCollection(id, key)
      else { return nil }
      return try await state.reader.elements(of: id, key: key).map(\.target)
    }
  }

  func writeCollection(_ change: RelationChange, of id: EntityID) async throws -> Bool {
    guard let kind = change.link.relation.many else { return false }
    let key = change.link.relation.key
    if let past {
      return try await transaction.setCollection(id, key, to: change.targets, as: kind, in: past)
    }
    if change.link.policy == .merge, let former = change.former {
      let new = Array(change.targets.dropFirst(former.count))
      guard !new.isEmpty else { return false }
      return try await transaction.addToCollection(id, key, new, as: kind)
    }
    return try await transaction.setCollection(id, key, to: change.targets, as: kind)
  }

  /// Adds the edges of a relation, and removes those to its former targets. Returns whether any
  /// changed.
  @discardableResult
  func writeEdges(_ change: RelationChange, of source: EntityID) async throws -> Bool {
    let key = change.link.relation.key
    guard let kind = change.link.relation.edge else { return false }
    let given = change.given
    guard !given.isEmpty || !change.declared.isEmpty else { return false }
    let former = Set(try await transaction.relatedIDs(source, kind, named: key))
    for other in given { try await transaction.unrelate(source, kind, other, named: key) }
    let new = change.declared.filter { !former.contains($0) }
    for other in new { try await transaction.relate(source, kind, other, named: key) }
    return !new.isEmpty || given.contains { former.contains($0) }
  }

  /// Sets the inverse of a relation's targets, and removes that of its former targets.
  func writeInverse(
    _ change: RelationChange,
    of targets: [EntityID],
    naming source: EntityID
  ) async throws {
    guard let inverse = change.link.inverse else { return }
    for other in targets { try await write(inverse, of: other, naming: source, true) }
  }

  /// Removes the entity from the inverses of the targets that a relation dropped.
  func takeBackInverse(
    _ change: RelationChange,
    of dropped: [EntityID],
    naming source: EntityID
  ) async throws {
    guard let inverse = change.link.inverse else { return }
    for other in dropped { try await write(inverse, of: other, naming: source, false) }
  }

  private func write(
    _ inverse: CompiledMapping.Inverse,
    of other: EntityID,
    naming source: EntityID,
    _ isNamed: Bool
  ) async throws {
    let entity = try await reading.entity(other)
    guard let type = entity?.type ?? (begun.contains(other) ? inverse.type : nil) else { return }
    if let link = inverse.link {
      try await writeInverse(link, of: other, type, entity, naming: source, isNamed)
    } else {
      let pending = net[other]
      let present = pending == nil ? entity?[inverse.key] : pending?.value(inverse.key)
      guard (present == .reference(source)) != isNamed else { return }
      let value: Value? = isNamed ? .reference(source) : nil
      if let entity, isOwn(entity) {
        try await transaction.update(other, [inverse.key: value])
      } else {
        net.change(other, type, entity).set(value, at: inverse.key)
      }
    }
  }

  /// Updates the inverse if it is a to-many relation.
  private func writeInverse(
    _ link: CompiledMapping.Link,
    of other: EntityID,
    _ type: EntityType,
    _ entity: StoredEntity?,
    naming source: EntityID,
    _ isNamed: Bool
  ) async throws {
    let key = link.relation.key
    let former = try await reading.collection(of: other, key)
    let present = net[other]?.relations[key]?.targets ?? former ?? []
    guard present.contains(source) != isNamed else { return }
    let targets = isNamed ? present + [source] : present.filter { $0 != source }
    let change = RelationChange(link: link, former: former, targets: targets)
    if let entity, isOwn(entity) {
      _ = try await writeCollection(change, of: other)
    } else if change.isNothing {
      net[other]?.relations[key] = nil
    } else {
      net.change(other, type, entity).relations[key] = change
    }
  }
}
