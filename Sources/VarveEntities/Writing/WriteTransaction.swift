import Synchronization
public import VarveCore

/// A commit that is being written. ``Store/write(as:author:message:at:_:)`` passes it to its
/// closure.
///
/// Everything written through it becomes one commit when the closure returns, or nothing if it
/// throws. Its reads see its writes. Calls of the store in the same task throw `nestedTransaction`.
///
/// An operation that throws leaves no changes. Some operations write before they can fail: a bulk
/// creation may fail at its last row. Then the whole write fails with the same error, even if the
/// closure catches it. Inside `attempt(_:)` only the attempt fails.
///
/// It is valid until the closure returns; later use throws `transactionEnded`. Child tasks may
/// share it: its operations take turns, in the order of the calls.
public final class WriteTransaction: Reading {
  /// The author; empty if none was given.
  public let author: String?
  /// The reason for the commit; empty if none was given.
  public let message: String?
  /// The stamp of the commit.
  public let time: HybridTime

  private let whole: Turnstile<CommitWriter>
  let store: ObjectIdentifier
  let rules: ReadingRules
  /// Whether changes are observed.
  private let isTracked: Bool
  /// Whether an attempt ever began, which most transactions never do.
  private let hasAttempted = Atomic(false)

  init(
    _ request: WriteRequest,
    to store: Store,
    writer: any BackendWriter,
    at time: HybridTime?,
    tracksChanges: Bool
  ) {
    author = request.author.nilIfEmpty
    message = request.message.nilIfEmpty
    self.time = writer.time
    self.store = ObjectIdentifier(store)
    rules = store.rules
    isTracked = tracksChanges || store.hub.isActive
    whole = Turnstile(
      CommitWriter(
        writer,
        time: time,
        hooks: store.hooks,
        rules: rules,
        orphanPolicies: store.configuration.orphanPolicies,
        tracker: isTracked ? ChangeTracker() : nil
      ),
      name: "transaction"
    )
  }

  /// The classes of entity references of the store.
  package var classes: TypeRegistry { rules.classes }

  /// Whether the closure is still running.
  var isOpen: Bool { whole.isOpen }

  /// The turnstile of the innermost attempt that encloses the current task, or of the whole
  /// transaction.
  var turnstile: Turnstile<CommitWriter> {
    guard hasAttempted.load(ordering: .acquiring) else { return whole }
    return TransactionScope.attempt(in: self) ?? whole
  }

  /// Makes later operations look for an attempt that encloses their task.
  func noteAttempt() { hasAttempted.store(true, ordering: .releasing) }

  /// Performs one operation exclusively.
  package func perform<Result>(
    _ operation: (CommitWriter) async throws -> Result
  ) async throws -> Result {
    let turnstile = turnstile
    guard let writer = turnstile.takeNow() else {
      return try await turnstile.pass { writer in try await writer.perform(operation) }
    }
    defer { turnstile.leave() }
    return try await writer.perform(operation)
  }

  /// Passes on the changes, for when the transaction is committed, if they are observed.
  func handOver(to handover: ChangeHandover) async throws {
    guard isTracked else { return }
    try await whole.pass { writer in
      guard let tracker = writer.tracker, writer.failure == nil else { return }
      handover.put(try await tracker.changes(writer.commit))
    }
  }

  /// Returns the changes so far; nil if they are not tracked.
  func changes() async throws -> ChangeDraft? {
    try await whole.pass { writer in try await writer.tracker?.changes(writer.commit) }
  }

  /// Ends the transaction. Throws if it must not be committed.
  func finish() async throws {
    let failure = try await whole.end { writer in
      if writer.failure == nil, writer.hasDoubts { try await writer.settleDoubts() }
      return writer.failure
    }
    if let failure { throw failure }
  }

  /// Ends a transaction that will not be committed.
  func abandon() async { await whole.end() }

  /// Reads the state that includes this transaction's writes. The closure must not use the
  /// transaction.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try await turnstile.pass {
      try await body(StateReader(reader: $0.commit, rules: rules))
    }
  }

  /// Returns the entities of a query as they are when the iteration begins. Later writes do not
  /// appear.
  ///
  /// All of them are read at once.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      try await offer(query, pageSize: size, to: pages)
    }
  }

  /// Reads all entities and passes them on, without blocking other uses of the transaction.
  func offer(_ query: Query, pageSize: Int, to pages: PageChannel) async throws {
    pages.follow(rules)
    let entities = try await fetch(query)
    for start in stride(from: 0, to: entities.count, by: pageSize) {
      let page = Array(entities[start..<min(start + pageSize, entities.count)])
      guard await pages.offer(page) else { return }
    }
  }
}
