import VarveCore

/// Assembles commits from the records of a stream, and returns what to do with the log.
///
/// Complete commits are added together; a large one is staged, block by block.
struct CommitAssembler: Sendable {
  /// What a step leads to.
  struct Outcome: Sendable {
    /// The actions on the log, in order.
    var actions: [SyncAction] = []
    /// The commits that cannot be read, or of which not everything arrived.
    var parked: [Parked] = []
  }

  /// A commit, as far as it has arrived.
  private struct OpenCommit: Sendable {
    var head: Commit
    var blocks: [Block] = []
    var blockCount = 0
    var byteCount: Int
    /// Whether it grew so large that it is staged.
    var isStaged = false
  }

  private let limits: SyncLimits
  private var reader = CommitStreamReader()
  /// The commit whose blocks are still arriving.
  private var open: OpenCommit?
  /// Complete commits that are not added yet.
  private var inbox: [Commit] = []
  private var inboxByteCount = 0
  /// The number of commits that were complete or parked.
  private(set) var endedCount = 0

  init(limits: SyncLimits) { self.limits = limits }

  /// Whether enough is complete to be added.
  var isFull: Bool { inboxByteCount >= limits.append }

  /// The number of bytes that wait for the rest of their record.
  var pendingByteCount: Int { reader.pendingByteCount }

  /// Appends bytes as they arrive.
  mutating func add(_ bytes: some Collection<UInt8>) { reader.add(bytes) }

  /// Returns the next complete record, or nil if more bytes must arrive first.
  ///
  /// - Throws: the errors of ``CommitStreamReader/next()``.
  mutating func next() throws -> CommitStreamReader.Record? { try reader.next() }

  /// Takes a record.
  mutating func take(_ record: CommitStreamReader.Record) -> Outcome {
    var outcome = Outcome()
    switch record {
    case .header(let commit):
      outcome = drop()
      open = OpenCommit(head: commit, byteCount: commit.headerBytes.count)
    case .unreadable(let id, let error):
      outcome = drop()
      endedCount += 1
      outcome.parked.append(Parked(commit: id, error: error))
    case .commit(let commit): outcome = take(whole: commit)
    case .block(let block): outcome.actions = take(block)
    }
    outcome.actions += closeIfComplete()
    return outcome
  }

  /// Takes a commit that arrives whole.
  mutating func take(whole commit: Commit) -> Outcome {
    let outcome = drop()
    keep(commit, commit.byteCount)
    return outcome
  }

  private mutating func take(_ block: Block) -> [SyncAction] {
    guard var open else { return [] }
    defer { self.open = open }
    open.blockCount += 1
    open.byteCount += block.byteCount
    if open.isStaged { return [.stage(.block(block))] }
    open.blocks.append(block)
    guard open.byteCount > limits.whole else { return [] }
    let parts = [.header(open.head.header)] + open.blocks.map { CommitPart.block($0) }
    open.isStaged = true
    open.blocks = []
    return flush() + parts.map { .stage($0) }
  }

  private mutating func closeIfComplete() -> [SyncAction] {
    guard let open, open.blockCount >= open.head.header.blockCount else { return [] }
    self.open = nil
    if open.isStaged {
      endedCount += 1
      return [.appendStaged]
    }
    keep(open.head.with(open.blocks), open.byteCount)
    return []
  }

  private mutating func keep(_ commit: Commit, _ byteCount: Int) {
    endedCount += 1
    inbox.append(commit)
    inboxByteCount += byteCount
  }

  /// Parks the open commit, whose remaining blocks will not arrive.
  mutating func drop() -> Outcome {
    guard let open else { return Outcome() }
    self.open = nil
    endedCount += 1
    let error = open.head.damaged("\(open.blockCount) of its blocks came, not all")
    return Outcome(
      actions: open.isStaged ? [.unstage] : [],
      parked: [Parked(commit: open.head.id, error: error)]
    )
  }

  /// Adds what is complete.
  mutating func flush() -> [SyncAction] {
    guard !inbox.isEmpty else { return [] }
    defer { (inbox, inboxByteCount) = ([], 0) }
    return [.append(inbox)]
  }

  /// Adds what is complete, and forgets a commit of which not everything arrived.
  mutating func finish() -> [SyncAction] {
    let dropped: [SyncAction] = open?.isStaged == true ? [.unstage] : []
    open = nil
    return dropped + flush()
  }
}
