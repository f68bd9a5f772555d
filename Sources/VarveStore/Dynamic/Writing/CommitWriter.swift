import VarveCore

/// Writes one commit by the rules for local writes. Used by one caller at a time.
final class CommitWriter {
  let writer: any BackendWriter
  /// The time cells carry unless told otherwise; nil for the commit's own.
  let defaultTime: HybridTime?
  /// Who is told before entities die.
  let hooks: ErasureHooks
  /// What follows the changes, where somebody wants to be told of them.
  let tracker: ChangeTracker?
  /// Why the commit must not be made: an operation failed half done.
  private(set) var failure: (any Error)?
  /// Whether the current operation has written something.
  private var hasWritten = false { didSet { if hasWritten { writeCount += 1 } } }
  /// Rises with what is written.
  private(set) var writeCount = 0
  /// What was not unique when it was saved, and must be at the end.
  private var doubts: [UniquenessDoubt] = []
  /// What becomes of those whose last owner gives them up, by the name of the relation.
  let orphanPolicies: [PropertyKey: OrphanPolicy]
  /// The times given to properties whose earlier value lies in the future, to give them again:
  /// of several writes in one transaction the last is kept (R3).
  private var pushed: [Slot: HybridTime] = [:]

  private struct Slot: Hashable {
    let entity: EntityID
    let key: PropertyKey
  }

  init(
    _ writer: any BackendWriter,
    time: HybridTime?,
    hooks: ErasureHooks,
    orphanPolicies: [PropertyKey: OrphanPolicy],
    tracker: ChangeTracker? = nil
  ) {
    self.tracker = tracker
    self.writer = writer
    defaultTime = time
    self.hooks = hooks
    self.orphanPolicies = orphanPolicies
  }

  /// Lets something that is not unique now be written: it must be unique at the end.
  func remember(_ doubt: UniquenessDoubt) { doubts.append(doubt) }

  /// Throws what is not unique at the end of the transaction.
  func settleDoubts() async throws {
    var errors: [ValidationError] = []
    for doubt in doubts where try await doubt.isConfirmed(by: writer) {
      if !errors.contains(doubt.error) { errors.append(doubt.error) }
    }
    guard errors.isEmpty else { throw VarveError.validationFailed(errors) }
  }

  /// Runs one operation. Where it throws with something written, the commit is given up.
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

  // MARK: Applying

  /// Writes one cell.
  @discardableResult
  func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    at time: HybridTime?
  ) async throws -> LifeChanges {
    hasWritten = true
    if let tracker, case .life(.recreated) = content, let type = try await writer.label(of: entity)
    {
      tracker.turns(from: type)
    }
    let lives = try await writer.apply(content, to: entity, time: time)
    tracker?.applied(content, to: entity, lives)
    return lives
  }

  /// Writes cells, and works out once who lives by them.
  @discardableResult
  func apply(together cells: [WrittenCell]) async throws -> LifeChanges {
    guard !cells.isEmpty else { return .none }
    hasWritten = true
    let lives = try await writer.apply(together: cells)
    tracker?.applied(cells, lives)
    return lives
  }

  /// Forgets cells of earlier commits.
  func redact(_ redactions: [Redaction]) async throws {
    hasWritten = true
    try await writer.redact(redactions)
  }

  /// Creates the rows of a table nobody has named before; returns the indices of the others.
  func create(_ table: Creations) async throws -> [Int] {
    let hadWritten = hasWritten
    hasWritten = true
    let known = try await writer.create(table)
    tracker?.created(table, but: known)
    if known.count == table.ids.count { hasWritten = hadWritten }
    return known
  }

  // MARK: Times

  /// The time a write without one gets, so that it is above the value it replaces (R4): none of
  /// its own, unless that value lies in the future.
  func timeAboveCurrent(of entity: EntityID, _ key: PropertyKey) async throws -> HybridTime? {
    guard writer.mayHoldLaterTimes,
      let current = try await writer.laterTime(of: entity, key: key), current > writer.time
    else { return nil }
    let slot = Slot(entity: entity, key: key)
    if let own = pushed[slot], own == current { return own }
    pushed[slot] = current.successor
    return current.successor
  }

  /// The time of a change of life, which must be above the last one.
  func lifeTime(of entity: EntityID, at time: HybridTime?) async throws -> HybridTime? {
    guard let time else {
      guard writer.mayHoldLaterTimes else { return nil }
      let later = try await writer.laterTime(of: entity, key: nil)
      return later.flatMap { $0 > writer.time ? $0.successor : nil }
    }
    guard let current = try await writer.currentTime(of: entity, key: nil), current > time else {
      return time
    }
    return current.successor
  }

  // MARK: Checks

  /// Throws `notFound` unless the entity is live.
  func requireLive(_ id: EntityID) async throws {
    let status = try await writer.status(of: id)
    if case .live = status { return }
    throw try await writer.absence(of: id, status: status)
  }
}
