import VarveCore
import VarveStore

/// One import into one transaction: drafts become entities, part after part of the document.
final class ImportRun {
  let transaction: Transaction
  let mappings: CompiledMappings
  let options: ImportOptions
  var report = ImportReport()
  let ledger: ImportLedger

  private let identities: Identities
  let rows: RowBatches
  private var drafting = Drafting()
  /// Relations to many that wait until everything of the part is there.
  var collections: [CollectionTask] = []
  /// Entities written since they were looked up.
  var written: Set<EntityID> = []
  /// Entities that relations named and that no object described yet.
  private var stubs: [(id: EntityID, draft: Draft)] = []
  /// Stubs of this import that were not filled yet.
  private var openStubs: Set<EntityID> = []
  let displacement = Displacement()
  let completion: Completion

  init(_ transaction: Transaction, _ mappings: CompiledMappings, _ options: ImportOptions) {
    self.transaction = transaction
    self.mappings = mappings
    self.options = options
    identities = Identities(transaction)
    rows = RowBatches(transaction)
    ledger = ImportLedger(listsChanges: options.isDryRun)
    completion = Completion(mappings)
  }

  /// Takes over a part of the document; after each object, `step` is told.
  func take(
    _ part: ImportPart,
    _ mapping: CompiledMapping,
    _ step: () async throws -> Void
  ) async throws {
    var drafts: [Draft?] = []
    drafts.reserveCapacity(part.count)
    for (element, path) in part { drafts.append(try drafting.draft(element, mapping, at: path)) }
    for (path, reason) in drafting.takeDiagnostics() { report.note(path.pointer, reason) }
    try await identities.look(up: Self.keys(of: drafts))
    for draft in drafts {
      try Task.checkCancellation()
      if let draft {
        let id = try await place(draft)
        if options.listsEntities { report.ids.append(id) }
      }
      try await step()
    }
    try await finishPart()
  }

  /// The keys of drafts and of all they hold, each once.
  private static func keys(of drafts: [Draft?]) -> [NaturalKey] {
    var keys: [NaturalKey] = []
    var seen: Set<NaturalKey> = []
    var open = drafts.reversed().compactMap { $0 }
    while let draft = open.popLast() {
      if let key = draft.naturalKey, seen.insert(key).inserted { keys.append(key) }
      for targets in draft.targets { open += targets.drafts.reversed() }
    }
    return keys
  }

  /// Writes what waited for the end of the part.
  private func finishPart() async throws {
    for (id, draft) in stubs where !written.contains(id) {
      written.insert(id)
      openStubs.insert(id)
      _ = rows.add(id, draft.row, draft.mapping)
      ledger.created(id, draft)
    }
    stubs.removeAll()
    try await rows.flush()
    for task in collections { try await write(task) }
    collections.removeAll()
    written.removeAll(keepingCapacity: true)
    ledger.endPart()
  }

  /// Ends what a complete document leaves out, and what replaced relations gave up.
  func finish() async throws {
    let leftOut = try await completion.leftOut(
      in: transaction,
      isReadable: !drafting.hasUnreadable,
      note: { self.report.note($0, $1) }
    )
    let displaced = try await displacement.unreferenced(in: transaction, alsoEnding: leftOut)
    let roots = leftOut + displaced
    if !roots.isEmpty {
      let preview = try await transaction.previewErasure(of: roots)
      ledger.ended(preview.deaths)
      if !options.isDryRun { try await transaction.erase(roots) }
    }
    ledger.put(into: &report, openStubs: openStubs.count)
  }
}

extension ImportRun {
  /// The entity an object is about, written as far as it stands by itself.
  private func place(_ draft: Draft) async throws -> EntityID {
    let found = draft.naturalKey.flatMap { identities.found[$0] }
    let id = found?.id ?? .new()
    if found?.isFresh == true, !written.contains(id) {
      report.note(
        draft.path.pointer,
        "another entity has the identifier \(draft.naturalKey?.derivedID.text ?? ""); \(id) is used"
      )
    }
    completion.see(id, draft.mapping)
    if draft.isStub {
      if found?.entity == nil, !written.contains(id) { stubs.append((id, draft)) }
      return id
    }
    if found?.entity == nil, !written.contains(id) {
      try await create(id, draft)
    } else {
      try await update(id, draft, written.contains(id) ? nil : found?.entity)
    }
    return id
  }

  private func create(_ id: EntityID, _ draft: Draft) async throws {
    written.insert(id)
    ledger.created(id, draft)
    let place = rows.add(id, draft.row, draft.mapping)
    for targets in draft.targets {
      let ids = try await self.place(targets)
      let link = draft.mapping.links[targets.link]
      if let index = link.index {
        if let target = ids.first {
          if !rows.set(.reference(target), at: index, of: place) {
            try await transaction.update(id, [link.relation.key: .reference(target)])
          }
          collections.append(CollectionTask(id, draft, targets.link, [target], former: []))
        }
      } else if !(ids.isEmpty && link.policy == .merge) {
        collections.append(CollectionTask(id, draft, targets.link, ids))
      }
    }
  }

  private func update(_ id: EntityID, _ draft: Draft, _ known: Entity?) async throws {
    let entity = try await present(id, known)
    var changes: [PropertyKey: Value?] = [:]
    for (slot, key) in zip(draft.slots, draft.mapping.keys) {
      switch slot {
      case .untouched: break
      case .cleared: if entity[key] != nil { changes[key] = .some(nil) }
      case .value(let value): if entity[key] != value { changes[key] = value }
      }
    }
    let isFilled = openStubs.remove(id) != nil
    ledger.met(id, draft, isNew: isFilled)
    if !changes.isEmpty {
      written.insert(id)
      try await transaction.update(id, changes)
      ledger.changed(id, draft.mapping, entity, changes)
    }
    for targets in draft.targets { try await relate(id, draft, targets, entity) }
  }

  /// The entity as it is now.
  private func present(_ id: EntityID, _ known: Entity?) async throws -> Entity {
    if let known { return known }
    if rows.pending.contains(id) { try await rows.flush() }
    return try await transaction.require(id)
  }

  private func place(_ targets: Draft.Targets) async throws -> [EntityID] {
    var ids: [EntityID] = []
    for draft in targets.drafts { ids.append(try await place(draft)) }
    return ids
  }

  /// What an object says of a relation of an entity there was.
  private func relate(
    _ id: EntityID,
    _ draft: Draft,
    _ targets: Draft.Targets,
    _ entity: Entity
  ) async throws {
    let ids = try await place(targets)
    let link = draft.mapping.links[targets.link]
    guard link.index != nil else {
      if link.policy == .merge, ids.isEmpty { return }
      collections.append(CollectionTask(id, draft, targets.link, ids))
      return
    }
    let entity = written.contains(id) ? try await present(id, nil) : entity
    let key = link.relation.key
    let former = entity[key]?.referenceValue
    let wanted = ids.first.map(Value.reference)
    if entity[key] != wanted {
      written.insert(id)
      try await transaction.update(id, [key: wanted])
      ledger.changed(id, draft.mapping, entity, [key: wanted])
    }
    if link.policy == .replace, let former, former != ids.first { displacement.add(former) }
    collections.append(
      CollectionTask(
        id,
        draft,
        targets.link,
        Array(ids.prefix(1)),
        former: former.map { [$0] } ?? []
      )
    )
  }
}

extension Draft {
  /// The values a new entity begins with.
  fileprivate var row: [Value?] {
    slots.map { if case .value(let value) = $0 { value } else { nil } }
  }
}
