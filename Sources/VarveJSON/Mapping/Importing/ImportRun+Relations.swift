import VarveCore
import VarveStore

/// Writes relations with their edges.
extension ImportRun {
  /// Writes the relations that waited for the end of the part: first those in the objects, then
  /// their edges. Inverses follow when all is stated.
  func writeRelations() async throws {
    var waiting = tasks.takeAll()
    for index in waiting.indices {
      guard let written = try await write(waiting[index]) else { continue }
      waiting[index].change = written
    }
    for task in waiting {
      let (change, source) = (task.change, task.source)
      guard let dropped = task.dropped else {
        stated.state(change, of: source, dropped: task.replaced + change.given)
        if task.isNull, change.former == nil { continue }
        if change.link.policy == .replace { for id in change.given { displacement.add(id) } }
        try await writeEdges(change, of: source)
        continue
      }
      stated.state(change, of: source, dropped: dropped)
      // The edges of a changed relation are written with it.
      guard past == nil, change.isNothing else { continue }
      if try await writeEdges(change, of: source) {
        try await noteEdges(of: source, change.link.relation.key)
      }
    }
  }

  /// Records that an existing entity changed only in the edges of a relation.
  func noteEdges(of id: EntityID, _ key: PropertyKey) async throws {
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
    if change.link.policy == .merge, let (new, given) = change.difference {
      var hasChanged = false
      if !given.isEmpty { hasChanged = try await transaction.removeFromCollection(id, key, given) }
      guard !new.isEmpty else { return hasChanged }
      return try await transaction.addToCollection(id, key, new, as: kind) || hasChanged
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
}
