import VarveCore
import VarveStore

/// An import within one transaction: it turns drafts into entities, one part of the document after
/// another.
final class ImportRun {
  let transaction: WriteTransaction
  /// The state at the import's time, if something later is stored.
  let past: TransactionPast?
  let mappings: CompiledMappings
  let options: ImportOptions
  var report = ImportReport()
  let ledger: ImportLedger

  let identities: Identities
  let rows: RowBatches
  /// Whether some value in the place of an object had no identity, or was not an object.
  private var hasUnreadable = false
  /// The changes of existing entities.
  let net = NetChanges()
  /// The relations that wait for the end of the part.
  var tasks = RelationTasks()
  /// The statements about relations of which the inverses are not written yet.
  var stated = StatedRelations()
  /// The targets of relations that no object has described yet.
  var stubs: [(subject: Subject, draft: Draft)] = []
  /// The stubs of this import that no object has described yet.
  var openStubs: Set<EntityID> = []
  /// The entities that this import made live from an earlier time.
  var begun: Set<EntityID> = []
  /// The entities that the import creates under new identifiers have this number or higher ones.
  private let firstNumber: Int64?
  /// The entities it created, if the backend assigns no numbers.
  private var created: Set<EntityID> = []
  let rules: RuleKeeping
  let displacement = Displacement()
  let named: NamedEntities
  let completion: Completion

  /// Begins an import. Nothing must be written before.
  init(
    _ transaction: WriteTransaction,
    _ mappings: CompiledMappings,
    _ rules: [EntityType: ModelRules],
    _ options: ImportOptions
  ) async throws {
    self.transaction = transaction
    self.mappings = mappings
    self.options = options
    past = try await transaction.past()
    firstNumber = try await transaction.nextNumber()
    identities = Identities(
      transaction,
      past: past,
      mayMeetTwice: mappings.hasTypesWithSeveralKeys,
      isEmpty: firstNumber == 1 && past == nil
    )
    self.rules = RuleKeeping(rules, now: try await transaction.writingDate())
    rows = RowBatches(transaction, self.rules)
    ledger = ImportLedger(
      listsChanges: options.isDryRun,
      comparesAll: mappings.hasTypesWithSeveralKeys
    )
    completion = Completion(mappings)
    named = NamedEntities(mappings)
  }

  /// The state at the import's time.
  var reading: any Reading { past ?? transaction }

  /// Records that the import creates an entity.
  func noteCreation(of id: EntityID) { if firstNumber == nil { created.insert(id) } }

  /// Returns whether the import created an entity.
  func isOwn(_ entity: StoredEntity) -> Bool { isOwn(entity.id, entity.number) }

  func isOwn(_ id: EntityID, _ number: Int64?) -> Bool {
    guard let firstNumber else { return created.contains(id) }
    if let number, number >= firstNumber { return true }
    return !rows.known.isEmpty && rows.known.contains(id)
  }

  /// Imports a part of the document. Calls `step` after each object.
  func take(_ part: DraftedPart, _ step: () throws -> Void) async throws {
    hasUnreadable = hasUnreadable || part.hasUnreadable
    for (path, reason) in part.diagnostics { report.note(path.pointer, reason) }
    try await identities.identify(part, net)
    for (index, draft) in part.drafts.enumerated() {
      if index % 64 == 0 { try Task.checkCancellation() }
      if let draft {
        let id: EntityID
        if let placed = placeSimply(draft) { id = placed } else { id = try await place(draft) }
        if options.listsEntities { report.ids.append(id) }
      }
      try step()
    }
    try await finishPart()
  }

  /// Writes everything that waited for the end of the part.
  private func finishPart() async throws {
    for (subject, draft) in stubs where !subject.isCreated {
      subject.isCreated = true
      openStubs.insert(subject.id)
      try await refuseLaterEnd(of: subject)
      _ = rows.add(subject.id, draft)
      noteCreation(of: subject.id)
      ledger.created(subject.id, draft)
    }
    stubs.removeAll(keepingCapacity: true)
    try await rows.flush()
    try await writeRelations()
    // If objects may state what others have as an inverse, all of them are needed to know which
    // relations hold. A dated import compares with the state before it. Both keep the changes.
    guard past == nil, !mappings.statesInverses else { return }
    try await writeInverses()
    if net.isFull { try await writeChanges() }
  }

  /// Writes everything that waited for the end of the document. Ends the entities that a complete
  /// document omits, and the former targets of replaced relations.
  func finish() async throws {
    try await writeInverses()
    try await writeChanges()
    try await end()
    try await rules.finish(transaction) { path, violation, isUnreadable in
      let place = path.pointer
      if options.rules == .refuse {
        throw VarveError.validationFailed([violation]).located(at: place)
      }
      let end = isUnreadable ? "; fetches of the model omit it" : ""
      report.note(place, "\(violation)\(end)")
    }
    try await ledger.settle(in: transaction, past)
    ledger.put(into: &report, openStubs: openStubs.count)
  }

  /// Ends the entities that a complete document omits, and the former targets of replaced
  /// relations.
  private func end() async throws {
    let leftOut = try await completion.leftOut(
      of: named,
      in: reading,
      isReadable: !hasUnreadable,
      note: { self.report.note($0, $1) }
    )
    let displaced = try await displacement.unreferenced(
      in: transaction,
      alsoEnding: leftOut,
      sparing: named
    )
    let roots = leftOut + displaced
    if !roots.isEmpty {
      try await named.outlive(roots, in: transaction)
      let preview = try await transaction.previewErasure(of: roots)
      try await refuseLaterEnd(of: leftOut, preview)
      for death in preview.deaths {
        ledger.ended(death, try await transaction.entity(death.id)?.number)
      }
      if !options.isDryRun { try await transaction.erase(roots) }
    }
  }
}
