import VarveCore
import VarveStore

/// Gives the inverses of relations their targets, after all that the document states.
extension ImportRun {
  /// Writes the inverses of the relations that the document states.
  ///
  /// First, the relations that hold are declared, in the order of the document: to-one inverses get
  /// the last entity that names theirs, and to-many inverses get all. Then entities are removed from
  /// the inverses of the targets that their relations lost, by the document or by an inverse, unless
  /// the document names them there.
  func writeInverses() async throws {
    guard !stated.isEmpty else { return }
    let stated = stated
    self.stated = StatedRelations()
    var slots = InverseSlots()
    for isToMany in [false, true] {
      for saying in stated.sayings {
        let statement = stated.statements[saying.statement]
        guard let inverse = statement.inverse, (inverse.link != nil) == isToMany else { continue }
        for target in saying.targets where statement.targets.contains(target) {
          try await declare(statement, inverse, of: target, &slots)
        }
      }
    }
    try await takeBack(stated, &slots)
    for (key, slot) in slots.all where slot.isChanged {
      try await write(slot, key)
      if !stated.contains(key) { net[key.source]?.dropIfEmptied(key.key) }
    }
    for statement in stated.statements { try await dropIfNothing(statement.key) }
  }

  /// Makes the inverse of a target name an entity.
  private func declare(
    _ statement: StatedRelations.Statement,
    _ inverse: CompiledMapping.Inverse,
    of target: EntityID,
    _ slots: inout InverseSlots
  ) async throws {
    // A to-one relation may have got another target as the inverse of that.
    if !statement.isToMany, let own = slots[statement.key], !own.contains(target) { return }
    let key = RelationTask.Key(source: target, key: inverse.key)
    try await slots.change(key) {
      try await self.slot(inverse, key)
    } _: {
      $0.add(statement.key.source)
    }
  }

  /// Removes entities from the inverses of the targets that their relations lost.
  private func takeBack(_ stated: StatedRelations, _ slots: inout InverseSlots) async throws {
    for (key, slot) in slots.all where slot.inverse.link == nil {
      guard let opposite = slot.inverse.opposite else { continue }
      for target in slot.former where !slot.contains(target) {
        try await takeBack(key.source, opposite, of: target, stated, &slots)
      }
    }
    for statement in stated.statements {
      guard let inverse = statement.inverse else { continue }
      for target in statement.dropped where slots[statement.key]?.contains(target) != true {
        try await takeBack(statement.key.source, inverse, of: target, stated, &slots)
      }
    }
  }

  /// Removes an entity from the inverse of a target, unless the document names it there, or names
  /// the target in a relation of the entity with that inverse.
  private func takeBack(
    _ source: EntityID,
    _ inverse: CompiledMapping.Inverse,
    of target: EntityID,
    _ stated: StatedRelations,
    _ slots: inout InverseSlots
  ) async throws {
    let key = RelationTask.Key(source: target, key: inverse.key)
    guard !stated.contains(source, in: key),
      !stated.contains(target, of: source, withInverse: inverse.key)
    else { return }
    try await slots.change(key) {
      try await self.slot(inverse, key)
    } _: {
      $0.remove(source)
    }
  }

  /// Returns the present targets of an inverse; nil if its entity is not live.
  private func slot(
    _ inverse: CompiledMapping.Inverse,
    _ key: RelationTask.Key
  ) async throws -> InverseSlots.Slot? {
    let entity = try await reading.entity(key.source)
    let begunType = begun.contains(key.source) ? inverse.type : nil
    guard let type = entity?.type ?? begunType else { return nil }
    let pending = net[key.source]
    guard inverse.link == nil else {
      let known = pending?.relations[key.key]?.targets
      let present = try await elements(of: key.source, key.key)
      return InverseSlots.Slot(inverse, type, entity, known ?? present ?? [])
    }
    let value = pending == nil ? entity?[key.key] : pending?.value(key.key)
    let target = value?.referenceValue
    return InverseSlots.Slot(inverse, type, entity, target.map { [$0] } ?? [])
  }

  private func write(_ slot: InverseSlots.Slot, _ key: RelationTask.Key) async throws {
    if let link = slot.inverse.link {
      try await write(slot, link, key)
    } else {
      try await writeReference(slot, key)
    }
  }

  /// Writes a to-one inverse.
  private func writeReference(_ slot: InverseSlots.Slot, _ key: RelationTask.Key) async throws {
    let value = slot.targets.first.map(Value.reference)
    let declared = slot.inverse.declaringLink.map {
      RelationChange(link: $0, former: slot.former, targets: slot.targets)
    }
    guard !isOwn(slot) else {
      try await transaction.update(key.source, [key.key: value])
      if let declared { try await writeEdges(declared, of: key.source) }
      return
    }
    let change = net.change(key.source, slot.type, slot.entity)
    change.set(value, at: key.key)
    // A relation that the document states gets its targets from the value.
    if let declared, change.relations[key.key] == nil { change.relations[key.key] = declared }
  }

  /// Writes a to-many inverse.
  private func write(
    _ slot: InverseSlots.Slot,
    _ link: CompiledMapping.Link,
    _ key: RelationTask.Key
  ) async throws {
    guard !isOwn(slot) else {
      let former = try await elements(of: key.source, key.key)
      let change = RelationChange(link: link, former: former, targets: slot.targets)
      _ = try await writeCollection(change, of: key.source)
      try await writeEdges(change, of: key.source)
      return
    }
    let change = net.change(key.source, slot.type, slot.entity)
    if var relation = change.relations[key.key] {
      // Of the elements that a merge keeps, only those that are new get edges.
      let kept = Set(slot.former).subtracting(relation.declared)
      relation.said = slot.targets.filter { !kept.contains($0) }
      relation.targets = slot.targets
      change.relations[key.key] = relation
    } else {
      let former = try await elements(of: key.source, key.key)
      var relation = RelationChange(link: link, former: former, targets: slot.targets)
      relation.said = slot.targets.filter { !slot.former.contains($0) }
      change.relations[key.key] = relation
    }
  }

  private func isOwn(_ slot: InverseSlots.Slot) -> Bool { slot.entity.map { isOwn($0) } ?? false }

  /// Discards the pending change of a relation if inverses made it equal to what is stored.
  private func dropIfNothing(_ key: RelationTask.Key) async throws {
    guard let change = net[key.source], var relation = change.relations[key.key] else { return }
    let link = relation.link
    if link.relation.many == nil {
      relation.targets = change.value(key.key)?.referenceValue.map { [$0] } ?? []
      change.relations[key.key] = relation
    }
    guard relation.isNothing, past == nil || link.relation.edge == nil else { return }
    change.relations[key.key] = nil
    if try await writeEdges(relation, of: key.source) {
      try await noteEdges(of: key.source, key.key)
    }
  }
}

extension NetChanges.Change {
  /// Discards the change of a to-many inverse if all that was added was removed again.
  fileprivate func dropIfEmptied(_ key: PropertyKey) {
    guard let relation = relations[key] else { return }
    if relation.isNothing || relation.former == nil && relation.targets.isEmpty {
      relations[key] = nil
    }
  }
}
