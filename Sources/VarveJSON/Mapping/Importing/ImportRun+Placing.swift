import VarveCore
import VarveStore

/// Finds or creates the entities of single objects.
extension ImportRun {
  /// Returns the entity of an object that can be handled at once: one that equals the object, or a
  /// new one without relations. Returns nil for all others.
  func placeSimply(_ draft: Draft) -> EntityID? {
    guard let subject = draft.subject, !subject.isFresh, !subject.isLater, !subject.isCreated else {
      return nil
    }
    if subject.isSame {
      named.insert(subject.id)
      state(draft, subject.id)
      guard !draft.isStub else { return subject.id }
      if !isOwn(subject.id, subject.number) {
        ledger.met(subject, draft)
      } else if !openStubs.isEmpty, openStubs.remove(subject.id) != nil {
        ledger.filled(draft)
      }
      return subject.id
    }
    guard past == nil, subject.entity == nil, !draft.isStub, draft.targets.isEmpty else {
      return nil
    }
    named.insert(subject.id)
    state(draft, subject.id)
    begin(subject, draft)
    return subject.id
  }

  /// Records the attributes of an object that are inverses of relations.
  private func state(_ draft: Draft, _ id: EntityID) {
    let mapping = draft.mapping
    guard !mapping.inverseIndices.isEmpty else { return }
    for index in mapping.inverseIndices {
      let isCleared = draft.cleared.contains(index)
      guard draft[index] != nil || isCleared else { continue }
      stated.state(draft[index], RelationTask.Key(source: id, key: mapping.keys[index]))
    }
  }

  /// Begins the row of a new entity.
  private func begin(_ subject: Subject, _ draft: Draft) {
    subject.isCreated = true
    noteCreation(of: subject.id)
    ledger.created(subject.id, draft)
    subject.row = rows.add(subject.id, draft)
  }

  /// Returns the entity of an object, after writing everything that does not depend on other
  /// objects.
  func place(_ draft: Draft) async throws -> EntityID {
    if let id = placeSimply(draft) { return id }
    let subject = draft.subject ?? Subject(.new())
    if subject.isFresh, !subject.isCreated {
      report.note(
        draft.path.pointer,
        "another entity has the identifier \(draft.naturalKey?.derivedID.text ?? ""); "
          + "\(subject.id) is used"
      )
    }
    named.insert(subject.id)
    state(draft, subject.id)
    if subject.isLater { try await beginEarlier(subject, draft) }
    let wasThere = subject.isLater || subject.entity.map { !isOwn($0) } ?? false
    if draft.isStub {
      if subject.entity == nil, !wasThere, !subject.isCreated { stubs.append((subject, draft)) }
    } else if wasThere {
      try await change(subject, draft)
    } else if subject.entity != nil || subject.isCreated {
      try await update(subject, draft)
    } else {
      try await create(subject, draft)
    }
    return subject.id
  }

  func place(_ targets: Draft.Targets) async throws -> [EntityID] {
    var ids: [EntityID] = []
    for draft in targets.drafts { ids.append(try await place(draft)) }
    return ids
  }

  /// Makes an entity that was created later live at the import's time.
  private func beginEarlier(_ subject: Subject, _ draft: Draft) async throws {
    guard let past, begun.insert(subject.id).inserted else { return }
    let type = draft.mapping.mapping.entity
    let then = try await transaction.begin(subject.id, as: type, in: past)
    ledger.began(subject.id, draft)
    if let then { net.change(subject.id, type, nil).valuesBefore = then }
    // It must be found by its value at that time, too.
    guard let key = draft.naturalKey else { return }
    net.change(subject.id, type, nil).set(key.value, at: key.place.key)
  }

  // MARK: Entities of this import

  private func create(_ subject: Subject, _ draft: Draft) async throws {
    try await refuseLaterEnd(of: subject)
    begin(subject, draft)
    for targets in draft.targets {
      let ids = try await place(targets)
      let link = draft.mapping.links[targets.link]
      // An object nested in it may have set the relation before, which is replaced.
      guard !ids.isEmpty || tasks.contains(subject.id, link) || !targets.isNull else { continue }
      guard link.index != nil else {
        if link.policy == .merge, ids.isEmpty { continue }
        let change = RelationChange(link: link, former: nil, targets: ids)
        wait(change, of: subject.id, isNull: targets.isNull)
        continue
      }
      let target = Array(ids.prefix(1))
      try await set(target.first.map(Value.reference), link, of: subject, draft.mapping)
      wait(RelationChange(link: link, former: [], targets: target), of: subject.id)
    }
  }

  /// Applies another object about an entity of this import. The last value counts.
  private func update(_ subject: Subject, _ draft: Draft) async throws {
    if !openStubs.isEmpty, openStubs.remove(subject.id) != nil { ledger.filled(draft) }
    if !rows.fill(subject.row, draft) {
      let entity = try await written(subject)
      var changes: [PropertyKey: Value?] = [:]
      for (index, value) in draft.said where entity[draft.mapping.keys[index]] != value {
        changes[draft.mapping.keys[index]] = .some(value)
      }
      if !changes.isEmpty {
        rules.suspect(subject.id, draft.path, draft.mapping)
        try await transaction.update(subject.id, changes)
      }
    }
    for targets in draft.targets {
      let ids = try await place(targets)
      let link = draft.mapping.links[targets.link]
      guard link.index != nil else {
        if link.policy == .merge, ids.isEmpty { continue }
        let change = RelationChange(link: link, former: nil, targets: ids)
        wait(change, of: subject.id, isNull: targets.isNull)
        continue
      }
      let former = try await formerTarget(link, of: subject)
      try await set(ids.first.map(Value.reference), link, of: subject, draft.mapping)
      wait(
        RelationChange(link: link, former: former, targets: Array(ids.prefix(1))),
        of: subject.id
      )
    }
  }

  /// Returns the present entity, after writing its row.
  private func written(_ subject: Subject) async throws -> StoredEntity {
    if rows.isWaiting(subject.row) { try await rows.flush() }
    return try await transaction.require(subject.id)
  }

  /// Returns the target of a to-one relation before this part of the document.
  private func formerTarget(
    _ link: CompiledMapping.Link,
    of subject: Subject
  ) async throws -> [EntityID] {
    guard !rows.isWaiting(subject.row) else { return [] }
    let target = try await transaction.require(subject.id)[link.relation.key]?.referenceValue
    return target.map { [$0] } ?? []
  }

  private func set(
    _ value: Value?,
    _ link: CompiledMapping.Link,
    of subject: Subject,
    _ mapping: CompiledMapping
  ) async throws {
    if let index = link.index, rows.set(value, at: index, of: subject.row, mapping) { return }
    _ = try await written(subject)
    try await transaction.update(subject.id, [link.relation.key: value])
  }

  private func wait(_ change: RelationChange, of id: EntityID, isNull: Bool = false) {
    stated.say(change.targets, change.link, of: id)
    tasks.add(RelationTask(source: id, change: change, isNull: isNull))
  }
}
