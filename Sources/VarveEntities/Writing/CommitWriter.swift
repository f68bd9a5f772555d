package import VarveCore

/// Writes one commit by the rules for local writes. It is used by one caller at a time.
package final class CommitWriter {
  package let commit: any BackendWriter
  /// The time of cells that do not specify one; nil for the commit's time.
  package let defaultTime: HybridTime?
  /// The hooks that run before entities die.
  let hooks: ErasureHooks
  /// What the store passes on to the state that hooks read.
  let rules: ReadingRules
  /// The tracker of changes, if they are observed.
  let tracker: ChangeTracker?
  /// The error of an operation that failed halfway, which prevents the commit.
  private(set) var failure: (any Error)?
  /// Whether the current operation has written something.
  private var hasWritten = false { didSet { if hasWritten { writeCount += 1 } } }
  /// A number that rises with every write.
  package private(set) var writeCount = 0
  /// The values that were not unique when they were saved, and must be at the end.
  private var doubts: [UniquenessDoubt] = []
  /// The policies for entities that lose their last owner, by the name of the relation.
  let orphanPolicies: [PropertyKey: OrphanPolicy]
  /// The times given to properties whose former value is in the future. They are reused, because of
  /// several writes in one transaction the last is kept (R3).
  private var pushed: [Slot: HybridTime] = [:]
  /// The to-many properties that this commit states as a whole for its own time.
  private var statedWholes: Set<Slot> = []

  /// The beginnings of the open attempts, outermost first.
  private var attempts: [Attempt] = []

  /// The writer's state at the beginning of an attempt.
  private struct Attempt {
    let doubts: [UniquenessDoubt]
    let pushed: [Slot: HybridTime]
    let statedWholes: Set<Slot>
    let writeCount: Int
    let changes: ChangeDraft?
  }

  private struct Slot: Hashable {
    let entity: EntityID
    let key: PropertyKey
  }

  init(
    _ commit: any BackendWriter,
    time: HybridTime?,
    hooks: ErasureHooks,
    rules: ReadingRules,
    orphanPolicies: [PropertyKey: OrphanPolicy],
    tracker: ChangeTracker? = nil
  ) {
    self.tracker = tracker
    self.commit = commit
    defaultTime = time
    self.hooks = hooks
    self.rules = rules
    self.orphanPolicies = orphanPolicies
  }

  /// Allows values that are not unique now. They must be unique at the end.
  package func remember(_ doubt: UniquenessDoubt) { doubts.append(doubt) }

  /// Whether some values were not unique when they were saved.
  var hasDoubts: Bool { !doubts.isEmpty }

  /// Throws if values are not unique at the end of the transaction.
  func settleDoubts() async throws {
    var errors: [ValidationError] = []
    for doubt in doubts where try await doubt.isConfirmed(by: commit) {
      if !errors.contains(doubt.error) { errors.append(doubt.error) }
    }
    guard errors.isEmpty else { throw VarveError.validationFailed(errors) }
  }

  /// Performs one operation. If it throws after it has written something, the commit fails.
  func perform<Result>(
    _ operation: (CommitWriter) async throws -> Result
  ) async throws -> Result {
    if let failure { throw failure }
    hasWritten = false
    do {
      return try await operation(self)
    } catch {
      if hasWritten { failure = error }
      throw error
    }
  }

  /// Records that this commit states a whole to-many property for its own time.
  func noteStatedWhole(_ entity: EntityID, _ key: PropertyKey) {
    statedWholes.insert(Slot(entity: entity, key: key))
  }

  /// Returns whether this commit states a whole to-many property for its own time.
  func hasStatedWhole(_ entity: EntityID, _ key: PropertyKey) -> Bool {
    statedWholes.contains(Slot(entity: entity, key: key))
  }

  // MARK: Attempts

  /// Marks the present state, to which ``undoAttempt()`` returns.
  func beginAttempt() async throws {
    if let failure { throw failure }
    try await commit.beginAttempt()
    attempts.append(
      Attempt(
        doubts: doubts,
        pushed: pushed,
        statedWholes: statedWholes,
        writeCount: writeCount,
        changes: tracker?.draft
      )
    )
    doubts = []
  }

  /// Keeps what was written since the last mark. Throws if an operation failed halfway, or if
  /// values that were written since are not unique.
  func keepAttempt() async throws {
    if let failure { throw failure }
    try await settleDoubts()
    try await commit.keepAttempt()
    doubts = attempts.removeLast().doubts
  }

  /// Undoes what was written since the last mark, including the failure of an operation.
  func undoAttempt() async throws {
    let attempt = attempts.removeLast()
    do {
      try await commit.undoAttempt()
    } catch {
      failure = error
      throw error
    }
    failure = nil
    (doubts, pushed) = (attempt.doubts, attempt.pushed)
    statedWholes = attempt.statedWholes
    writeCount = attempt.writeCount
    if let changes = attempt.changes { tracker?.restore(changes) }
  }

  // MARK: Applying

  /// Writes one cell.
  @discardableResult
  package func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    at time: HybridTime?
  ) async throws -> LifeChanges {
    hasWritten = true
    guard let tracker else { return try await commit.apply(content, to: entity, time: time) }
    try await tracker.meet(content, of: entity, in: commit)
    let lives = try await commit.apply(content, to: entity, time: time)
    tracker.applied(content, to: entity, lives)
    return lives
  }

  /// Writes cells, and computes liveness once for all of them.
  @discardableResult
  func apply(together cells: [WrittenCell]) async throws -> LifeChanges {
    guard !cells.isEmpty else { return .none }
    hasWritten = true
    if let tracker {
      for cell in cells { try await tracker.meet(cell.content, of: cell.entity, in: commit) }
    }
    let lives = try await commit.apply(together: cells)
    tracker?.applied(cells, lives)
    return lives
  }

  /// Writes properties of all entities of a query at once. Returns the number of entities that had
  /// other values, or nil if they must be written one by one.
  func apply(
    _ changes: [PropertyChange],
    with companions: [PropertyChange],
    toAllOf query: Query
  ) async throws -> Int? {
    let count = try await commit.write(
      changes.map(\.content),
      with: companions.map(\.content),
      toAllOf: query
    ) { id, content in
      tracker?.applied(content, to: id, .none)
    }
    if let count, count > 0 { hasWritten = true }
    return count
  }

  /// Erases all entities of a query at once. Returns what died, or nil if they must be erased one
  /// by one.
  func applyErasure(ofAll query: Query) async throws -> [EntityID]? {
    guard let died = try await commit.eraseAll(of: query) else { return nil }
    if !died.isEmpty {
      hasWritten = true
      tracker?.erased(died, of: query.type)
    }
    return died
  }

  /// Redacts cells of earlier commits. Returns whether they go with this commit.
  func redact(_ redactions: [Redaction]) async throws -> Bool {
    hasWritten = true
    return try await commit.redact(redactions)
  }

  /// Creates the rows of a table whose identifiers are unknown. Returns the indices of the others.
  package func create(_ table: Creations) async throws -> [Int] {
    let hadWritten = hasWritten
    hasWritten = true
    let known = try await commit.create(table)
    tracker?.created(table, but: known)
    if known.count == table.ids.count { hasWritten = hadWritten }
    return known
  }

  // MARK: Times

  /// Returns the time for an undated write to a property whose value is dated in the future: a time
  /// just above that value's (R4). Nil if the present value is not in the future.
  func timeAboveCurrent(of entity: EntityID, _ key: PropertyKey) async throws -> HybridTime? {
    guard commit.mayHoldLaterTimes,
      let current = try await commit.laterTime(of: entity, key: key), current > commit.time
    else { return nil }
    let slot = Slot(entity: entity, key: key)
    if let own = pushed[slot], own == current { return own }
    pushed[slot] = current.successor
    return current.successor
  }

  /// Returns the time of a change of life, which must be above the last one.
  func lifeTime(of entity: EntityID, at time: HybridTime?) async throws -> HybridTime? {
    guard let time else {
      guard commit.mayHoldLaterTimes else { return nil }
      let later = try await commit.laterTime(of: entity, key: nil)
      return later.flatMap { $0 > commit.time ? $0.successor : nil }
    }
    guard let current = try await commit.currentTime(of: entity, key: nil), current > time else {
      return try await timeAboveLaterCommits(of: entity, nil, at: time)
    }
    return current.successor
  }

  /// Returns the time of a dated write, which must not be before the present life of the entity:
  /// the past would show it in a former one (R15).
  ///
  /// A new life may begin within the date, after the former one. Then its time is the beginning.
  ///
  /// - Throws: `invalidArgument` if the date is before that of the re-creation.
  func timeInLife(of id: EntityID, at time: HybridTime?) async throws -> HybridTime? {
    guard let time, let birth = try await commit.rebirth(of: id), birth > time else { return time }
    guard birth > time.lastOfDate else { return birth }
    throw VarveError(
      .invalidArgument,
      "the entity \"\(id)\" was erased, and created anew after this time",
      at: "entity \(id)",
      remedy: "Write dated states in the order of their dates."
    )
  }

  // MARK: Checks

  /// Throws `notFound` unless the entity is live.
  func requireLive(_ id: EntityID) async throws {
    let status = try await commit.status(of: id)
    if case .live = status {
      if commit.mayHoldLaterTimes { try await requireReachable(id) }
      return
    }
    throw try await commit.absence(of: id, status: status)
  }
}
