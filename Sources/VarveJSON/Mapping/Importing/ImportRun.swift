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
  /// What relations named and no object described yet.
  private var stubs: [(subject: Subject, draft: Draft)] = []
  /// Stubs of this import that were not filled yet.
  private var openStubs: Set<EntityID> = []
  let displacement = Displacement()
  let completion: Completion

  init(_ transaction: Transaction, _ mappings: CompiledMappings, _ options: ImportOptions) {
    self.transaction = transaction
    self.mappings = mappings
    self.options = options
    identities = Identities(transaction, mayMeetTwice: mappings.hasTypesWithSeveralKeys)
    rows = RowBatches(transaction)
    ledger = ImportLedger(listsChanges: options.isDryRun)
    completion = Completion(mappings)
  }

  /// Takes over a part of the document; after each object, `step` is told.
  func take(
    _ part: ImportPart,
    _ mapping: CompiledMapping,
    _ step: () throws -> Void
  ) async throws {
    var drafts: [Draft?] = []
    drafts.reserveCapacity(part.count)
    for (element, path) in part { drafts.append(try drafting.draft(element, mapping, at: path)) }
    for (path, reason) in drafting.takeDiagnostics() { report.note(path.pointer, reason) }
    try await identities.identify(drafts)
    for draft in drafts {
      try Task.checkCancellation()
      if let draft {
        let id = try await place(draft)
        if options.listsEntities { report.ids.append(id) }
      }
      try step()
    }
    try await finishPart()
  }

  /// Writes what waited for the end of the part.
  private func finishPart() async throws {
    for (subject, draft) in stubs where !subject.isWritten {
      subject.isWritten = true
      openStubs.insert(subject.id)
      _ = rows.add(subject.id, draft.values, draft.mapping)
      ledger.created(subject, draft)
    }
    stubs.removeAll(keepingCapacity: true)
    try await rows.flush()
    for task in collections { try await write(task) }
    collections.removeAll(keepingCapacity: true)
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
    let subject = draft.subject ?? Subject(.new())
    if subject.isFresh, !subject.isWritten {
      report.note(
        draft.path.pointer,
        "another entity has the identifier \(draft.naturalKey?.derivedID.text ?? ""); "
          + "\(subject.id) is used"
      )
    }
    completion.see(subject.id, draft.mapping)
    if draft.isStub {
      if subject.entity == nil, !subject.isWritten { stubs.append((subject, draft)) }
      return subject.id
    }
    if subject.entity == nil, !subject.isWritten {
      try await create(subject, draft)
    } else {
      try await update(subject, draft)
    }
    return subject.id
  }

  private func create(_ subject: Subject, _ draft: Draft) async throws {
    subject.isWritten = true
    ledger.created(subject, draft)
    let place = rows.add(subject.id, draft.values, draft.mapping)
    subject.row = place
    for targets in draft.targets {
      let ids = try await self.place(targets)
      let link = draft.mapping.links[targets.link]
      if let index = link.index {
        if let target = ids.first {
          if !rows.set(.reference(target), at: index, of: place) {
            try await transaction.update(subject.id, [link.relation.key: .reference(target)])
          }
          collections.append(CollectionTask(subject, draft, targets.link, [target], former: []))
        }
      } else if !targets.isNull, !(ids.isEmpty && link.policy == .merge) {
        collections.append(CollectionTask(subject, draft, targets.link, ids))
      }
    }
  }

  private func update(_ subject: Subject, _ draft: Draft) async throws {
    let entity = try await present(subject)
    let mapping = draft.mapping
    var changes: [PropertyKey: Value?] = [:]
    for index in draft.values.indices {
      guard let value = draft.values[index], mapping.value(index, of: entity) != value else {
        continue
      }
      changes[mapping.keys[index]] = value
    }
    for index in draft.cleared where mapping.value(index, of: entity) != nil {
      changes[mapping.keys[index]] = .some(nil)
    }
    let isFilled = !openStubs.isEmpty && openStubs.remove(subject.id) != nil
    ledger.met(subject, draft, isNew: isFilled)
    if !changes.isEmpty {
      subject.isWritten = true
      try await transaction.update(subject.id, changes)
      ledger.changed(subject, mapping, entity, changes)
    }
    for targets in draft.targets { try await relate(subject, draft, targets) }
  }

  /// The entity as it is now.
  private func present(_ subject: Subject) async throws -> Entity {
    if !subject.isWritten, let entity = subject.entity { return entity }
    if rows.isWaiting(subject.row) { try await rows.flush() }
    return try await transaction.require(subject.id)
  }

  private func place(_ targets: Draft.Targets) async throws -> [EntityID] {
    var ids: [EntityID] = []
    for draft in targets.drafts { ids.append(try await place(draft)) }
    return ids
  }

  /// What an object says of a relation of an entity there was.
  private func relate(
    _ subject: Subject,
    _ draft: Draft,
    _ targets: Draft.Targets
  ) async throws {
    let ids = try await place(targets)
    let link = draft.mapping.links[targets.link]
    guard link.index != nil else {
      if link.policy == .merge, ids.isEmpty { return }
      var task = CollectionTask(subject, draft, targets.link, ids)
      task.isNull = targets.isNull
      collections.append(task)
      return
    }
    let entity = try await present(subject)
    let key = link.relation.key
    let former = entity[key]?.referenceValue
    let wanted = ids.first.map(Value.reference)
    if entity[key] != wanted {
      subject.isWritten = true
      try await transaction.update(subject.id, [key: wanted])
      ledger.changed(subject, draft.mapping, entity, [key: wanted])
    }
    if link.policy == .replace, let former, former != ids.first { displacement.add(former) }
    collections.append(
      CollectionTask(
        subject,
        draft,
        targets.link,
        Array(ids.prefix(1)),
        former: former.map { [$0] } ?? []
      )
    )
  }
}
