import VarveCore

/// Takes in records of commits as their bytes arrive, and returns what to do with the log.
///
/// Complete commits are added together; a large one is staged, block by block.
package struct RecordIntake: Sendable {
  private let limits: SyncLimits
  private var reader = CommitStreamReader()
  private var open: Receiving.OpenCommit?
  private var inbox: [Commit] = []
  private var inboxByteCount = 0
  /// The number of commits that arrived completely.
  package private(set) var completeCount = 0
  /// The commits that cannot be read, or of which not everything arrived.
  package private(set) var parked: [Parked] = []

  /// Whether commits that redact others are taken.
  private let takesRedactions: Bool
  /// Commits that are not taken, and those that follow them.
  private var refused: Set<CommitID> = []

  package init(limits: SyncLimits = SyncLimits(), takesRedactions: Bool = true) {
    self.limits = limits
    self.takesRedactions = takesRedactions
  }

  /// Takes in bytes.
  ///
  /// - Throws: `damaged` if they are no records, `newerFormat` if they are those of a later version.
  package mutating func add(_ bytes: some Collection<UInt8>) throws -> [SyncAction] {
    reader.add(bytes)
    var actions: [SyncAction] = []
    while let record = try reader.next() {
      switch record {
      case .header(let commit):
        actions += drop()
        guard !refuse(commit) else { continue }
        open = Receiving.OpenCommit(head: commit, byteCount: commit.headerBytes.count)
        actions += closeIfComplete()
      case .unreadable(let id, let error):
        actions += drop()
        parked.append(Parked(commit: id, error: error))
        completeCount += 1
      case .block(let block): actions += add(block)
      }
      if inboxByteCount >= limits.append { actions += flush() }
    }
    return actions
  }

  /// Parks a commit that may not be taken. Its blocks are skipped.
  private mutating func refuse(_ commit: Commit) -> Bool {
    let isRedaction = commit.header.kind == .redactions
    guard !takesRedactions, isRedaction || commit.needed.contains(where: refused.contains) else {
      return false
    }
    refused.insert(commit.id)
    completeCount += 1
    let why =
      isRedaction
      ? "it purges or compacts, which only an admin of the space may hand over"
      : "it follows a commit that was not taken"
    let error = VarveError(.readOnly, why, remedy: "Hand it over with the token of an admin.")
    parked.append(Parked(commit: commit.id, error: error))
    return true
  }

  private mutating func add(_ block: Block) -> [SyncAction] {
    guard var open else { return [] }
    open.blockCount += 1
    open.byteCount += block.byteCount
    var actions: [SyncAction] = []
    if open.isStaged {
      actions = [.stage(.block(block))]
    } else {
      open.blocks.append(block)
      if open.byteCount > limits.whole {
        actions = flush() + [.stage(.header(open.head.header))]
        actions += open.blocks.map { .stage(.block($0)) }
        open.isStaged = true
        open.blocks = []
      }
    }
    self.open = open
    return actions + closeIfComplete()
  }

  private mutating func closeIfComplete() -> [SyncAction] {
    guard let open, open.blockCount >= open.head.header.blockCount else { return [] }
    self.open = nil
    completeCount += 1
    if open.isStaged { return [.appendStaged(open.head.id)] }
    inbox.append(open.head.with(open.blocks))
    inboxByteCount += open.byteCount
    return []
  }

  /// Parks a commit whose remaining blocks will not arrive.
  private mutating func drop() -> [SyncAction] {
    guard let open else { return [] }
    self.open = nil
    completeCount += 1
    let error = open.head.damaged("\(open.blockCount) of its blocks came, not all")
    parked.append(Parked(commit: open.head.id, error: error))
    return open.isStaged ? [.unstage] : []
  }

  private mutating func flush() -> [SyncAction] {
    guard !inbox.isEmpty else { return [] }
    defer {
      inbox = []
      inboxByteCount = 0
    }
    return [.append(inbox)]
  }

  /// Ends the intake: adds what is complete, and forgets a commit of which not everything arrived.
  package mutating func finish() -> [SyncAction] {
    let dropped: [SyncAction] = open?.isStaged == true ? [.unstage] : []
    open = nil
    return dropped + flush()
  }
}
