import VarveCore
import VarveStore

/// One import into one transaction: drafts become entities, part after part of the document.
final class ImportRun {
  let transaction: WriteTransaction
  /// The state at the import's time, where something stored is later.
  let past: TransactionPast?
  let mappings: CompiledMappings
  let options: ImportOptions
  var report = ImportReport()
  let ledger: ImportLedger

  let identities: Identities
  let rows: RowBatches
  /// Whether something in the document had no identity, or was no object where one belongs.
  private var hasUnreadable = false
  /// What the document changes of entities there were.
  let net = NetChanges()
  /// Relations that wait until everything of the part is there.
  var tasks = RelationTasks()
  /// What was said of relations with an inverse for a past time, in the order of the document.
  var lateSayings: [(task: RelationTask.Key, targets: [EntityID])] = []
  /// What relations named and no object described yet.
  var stubs: [(subject: Subject, draft: Draft)] = []
  /// Stubs of this import that were not filled yet.
  var openStubs: Set<EntityID> = []
  /// Entities of now that are live since the import's time by this import.
  var begun: Set<EntityID> = []
  /// What the import creates gets this number and higher ones.
  private let firstNumber: Int64?
  /// What it created, where the backend gives no numbers.
  private var created: Set<EntityID> = []
  let rules: RuleKeeping
  let displacement = Displacement()
  let named: NamedEntities
  let completion: Completion

  /// Begins an import; nothing may be written yet.
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
    ledger = ImportLedger(listsChanges: options.isDryRun)
    completion = Completion(mappings)
    named = NamedEntities(mappings)
  }

  /// What holds at the import's time.
  var reading: any Reading { past ?? transaction }

  /// Notes that the import makes an entity.
  func noteCreation(of id: EntityID) { if firstNumber == nil { created.insert(id) } }

  /// Whether the import made an entity.
  func isOwn(_ entity: StoredEntity) -> Bool { isOwn(entity.id, entity.number) }

  func isOwn(_ id: EntityID, _ number: Int64?) -> Bool {
    guard let firstNumber else { return created.contains(id) }
    return number.map { $0 >= firstNumber } ?? false
  }

  /// Takes over a part of the document; after each object, `step` is told.
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

  /// Writes what waited for the end of the part.
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
    // What holds at a past time is compared with what was there before the import.
    if net.isFull, past == nil { try await writeChanges() }
  }

  /// Writes what waited for the end of the document, and ends what a complete one leaves out and
  /// what replaced relations gave up.
  func finish() async throws {
    try await writeChanges()
    try await end()
    try await rules.finish(transaction) { path, violation, isUnreadable in
      let place = path.pointer
      if options.rules == .refuse {
        throw VarveError.validationFailed([violation]).told(at: place)
      }
      let end = isUnreadable ? "; fetches of the model pass over it" : ""
      report.note(place, "\(violation)\(end)")
    }
    ledger.put(into: &report, openStubs: openStubs.count)
  }

  /// Ends what a complete document leaves out and what replaced relations gave up.
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
      ledger.ended(preview.deaths)
      if !options.isDryRun { try await transaction.erase(roots) }
    }
  }
}
