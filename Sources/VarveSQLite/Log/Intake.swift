import VarveCore

/// Adds commits in one transaction, whole or piece by piece.
struct Intake {
  private let session: Session
  private let toleranceMilliseconds: Int64
  /// The decision of the log's home on the next commit; nil if the commits come from elsewhere.
  var verdict: Verdict?
  /// Who hands over the next commit, if that is known.
  var subject: String?
  /// What the caller may not hand over; nil if nothing limits them.
  private let admission: Admission?
  /// The horizon up to which commits may be outlines; nil if they must be whole.
  private let outline: Horizon?
  private let isFromHome: Bool
  private var report = AppendReport()
  private var isForked = false
  private var events: LifeEvents
  private var open: OpenCommit?
  /// Whether the state shows what a completed commit does not have, and must be derived anew.
  private var isRefuted = false

  /// The size up to which a commit is kept in memory until it is complete. A larger one is stored
  /// as it arrives.
  private static let wholeByteCount = 8 << 20

  /// Whether a commit takes effect when it arrives (R11).
  enum Verdict {
    case takesEffect
    case isWithheld
  }

  /// Where commits come from.
  enum Source {
    /// From a caller, who may be limited.
    case caller(LogCaller)
    /// From the log's home, which has decided on them.
    case home
  }

  init(
    _ session: Session,
    _ source: Source,
    outline: Horizon? = nil,
    toleranceMilliseconds: Int64
  ) {
    self.session = session
    self.outline = outline
    switch source {
    case .caller(let caller):
      isFromHome = false
      admission = session.log.admission(of: caller)
      subject = caller.subject
    case .home: (admission, isFromHome) = (nil, true)
    }
    self.toleranceMilliseconds = toleranceMilliseconds
    events = LifeEvents(firstRow: session.log.state.nextRow)
  }

  /// Adds a new commit after those it depends on.
  mutating func add(_ commit: Commit) throws {
    try session.requireRunning()
    if let chainID = try session.log.chainHolding(commit.id) {
      guard let completion = try completion(of: commit, chainID) else { return }
      for block in commit.blocks {
        try admission?.require(block, of: commit.header)
        try completion.add(block)
      }
      return try finish(completion)
    }
    try deriveIfRefuted()
    try commit.verify()
    try requireKnown(commit)
    try admission?.require(commit)
    // Redacted cells are not added again.
    let commit =
      try session.log.redactedCells(of: commit.id).map { try commit.redacted($0) } ?? commit
    try session.log.checkPlace(of: commit)
    let chainID = try session.log.chainID(for: commit)
    let n = session.log.state.nextBlock
    if commit.isOutline { try expectOutline(commit) }
    try session.log.store(commit, n: n, chainID: chainID)
    if commit.blocks.contains(where: \.isRedacted) { try requirePurgedTogether(commit.id, at: n) }
    try session.log.noteIfAwaited(
      commit.id,
      n: n,
      isOutline: commit.isOutline,
      isRedacted: session.log.view == nil && commit.blocks.contains(where: \.isRedacted)
    )
    if try count(commit, n: n, chainID: chainID) {
      try session.applyStored(commit, n: n, chainID: chainID, &events)
    }
  }

  /// Counts a commit whose row is stored. Returns whether it takes effect now.
  private mutating func count(_ commit: Commit, n: Int64, chainID: Int64) throws -> Bool {
    let isOwn = commit.header.replica == session.log.state.own.replica
    // All indexes of a home write its chain, so its commits from there are no fork.
    isForked = isForked || isOwn && verdict == nil
    report.addedCount += 1
    if let subject { try session.log.noteHandover(n, by: subject) }
    if session.log.view != nil {
      // Its verdict is given once everything has arrived.
      try session.log.withholdUndecided(n)
      return false
    }
    guard try isWithheld(commit, chainID) else { return true }
    // An unreadable commit is refused now: once it is due it can no longer be refused.
    try commit.verifyHorizon()
    if !commit.blocks.isEmpty { try commit.verifyContent() }
    try session.log.withhold(n, until: commit.header.time)
    report.withheldCount += 1
    return false
  }

  private func isWithheld(_ commit: Commit, _ chainID: Int64) throws -> Bool {
    if try session.log.followsWithheld(commit, chainID) { return true }
    if let verdict { return verdict == .isWithheld }
    return HybridClock.isWithheld(
      commit.header.time,
      wallMilliseconds: session.wall.millisecondsSince1970,
      toleranceMilliseconds: toleranceMilliseconds
    )
  }

  /// Records the horizon of an outline together with it. Another synchronisation may have ended
  /// meanwhile, and removed the record because nothing was awaited any more.
  private func expectOutline(_ commit: Commit) throws {
    guard let outline else {
      throw VarveError(
        .unsupported,
        "it is an outline of a commit, and nothing says up to which horizon",
        at: "commit \(commit.header.sequence) of replica \(commit.header.replica)",
        remedy: "Synchronise again: the commit arrives whole."
      )
    }
    try session.expectOutlines(of: outline)
  }

  /// Throws if the log cannot keep the commit: it is sealed and the space is not, or the reverse, or the
  /// space is to be sealed or joined first.
  private func requireKnown(_ commit: Commit) throws {
    guard session.log.view == nil else {
      guard commit.header.isForSealedSpaces else { throw VarveError.openInSealedSpace(commit) }
      for (index, block) in commit.blocks.enumerated() {
        try requireLeft(block, index, of: commit)
      }
      return
    }
    guard session.log.sealing == nil else { throw LogTables.noSpaceYet }
    if commit.header.isForSealedSpaces { throw VarveError.sealingIsMissing }
  }

  /// Throws if a block of a sealed space lacks content, and no purge of the membership left it so. A home
  /// keeps what was checked before.
  private func requireLeft(_ block: Block, _ index: Int, of commit: Commit) throws {
    guard let view = session.log.view, block.isRedacted || block.isOutline else { return }
    guard !block.isOutline else { throw commit.damaged("a sealed block is an outline") }
    let name = BlockName(commit: commit.id, index: index)
    guard !isFromHome, !view.isLeft(.sha256(block.stored), of: name) else { return }
    throw VarveError(
      .missingDependencies,
      "a block lacks content, and the membership here has no purge that left it so",
      at: "block \(index) of commit \(commit.header.sequence) of replica \(commit.header.replica)",
      remedy: "Synchronise with the home of the membership, or with a member who has."
    )
  }

  /// Throws if a commit of a sealed space came with some of the blocks that a purge replaces together, and
  /// others as they were: a block and the chunks of its value.
  private func requirePurgedTogether(_ commit: CommitID, at n: Int64) throws {
    guard let view = session.log.view, !isFromHome else { return }
    for group in view.blocksPurgedTogether(in: commit) {
      let redacted = try group.filter { try session.log.storedBlock(n + Int64($0)).isRedacted }
      guard redacted.isEmpty || redacted.count == group.count else {
        throw VarveError(
          .missingDependencies,
          "a commit came with a part of what a purge left of it",
          at: "commit \(commit.sequence) of replica \(commit.replica)",
          remedy: "Synchronise with another store of the space."
        )
      }
    }
  }

  /// Ends the intake. A commit that was begun must be complete.
  mutating func finish() throws -> AppendReport {
    try endCommit()
    try deriveIfRefuted()
    if session.log.view != nil, report.addedCount > 0 { try session.settle(&events) }
    if isForked {
      try session.log.startOwnChain()
      report.replacedReplica = session.log.state.own.replica
    }
    if report.addedCount > 0 || report.completedCount > 0 { try session.log.storeNextRow() }
    // Complete blocks arrive after everything else.
    try session.updateAwaits(isEnded: report.completedCount > 0)
    report.died = try events.died(in: session)
    return report
  }
}

// MARK: Completing

extension Intake {
  /// Returns the completion of a commit that is stored but incomplete, or nil if the commit is
  /// complete.
  private func completion(of commit: Commit, _ chainID: Int64) throws -> Completion? {
    guard try session.log.hasAwaited,
      let n = try session.log.commitNumber(chainID: chainID, sequence: commit.header.sequence),
      try session.log.awaitsOutline(n) != nil
    else { return nil }
    return Completion(session, commit, n: n)
  }

  private mutating func finish(_ completion: Completion) throws {
    if try completion.finish(&events, isDerivedAnew: isRefuted) { report.completedCount += 1 }
    isRefuted = isRefuted || completion.isRefuting
  }

  /// Derives the state anew if a commit that was completed lacks what the store had taken for a part of
  /// it. Commits that arrive completed follow each other, so this happens once for all of them.
  private mutating func deriveIfRefuted() throws {
    guard isRefuted else { return }
    isRefuted = false
    try session.rebuild { _ in }
  }
}

// MARK: Piece by piece

extension Intake {
  /// A commit whose remaining pieces are still to come.
  private final class OpenCommit {
    /// The header, without blocks.
    let commit: Commit
    let isKnown: Bool
    /// The completion, if the commit is stored but incomplete.
    let completion: Completion?
    /// The blocks so far, while they are small.
    var blocks: [Block] = []
    var byteCount = 0
    /// The stored part of the commit, once its blocks are large.
    var stored: StoredCommit?

    init(_ commit: Commit, isKnown: Bool, _ completion: Completion?) {
      self.commit = commit
      self.isKnown = isKnown
      self.completion = completion
    }
  }

  /// A commit whose row is stored and whose blocks follow one by one.
  private struct StoredCommit {
    let n: Int64
    let chainID: Int64
    let takesEffect: Bool
    var digests: [ContentDigest] = []
    var isOutline = false
    var isRedacted = false
    /// The deaths and revivals so far, as far as they are final.
    var changes: [LifeChanges] = []
    /// A block whose last value is in the chunks after it.
    var chunked: (content: BlockContent, block: Int64, chunks: [[UInt8]])?
  }

  /// Adds the next piece.
  mutating func add(_ part: CommitPart) throws {
    try session.requireRunning()
    switch part {
    case .header(let header):
      try endCommit()
      let commit = Commit(header: header, blocks: [])
      let chainID = try session.log.chainHolding(commit.id)
      let completion = try chainID.flatMap { try self.completion(of: commit, $0) }
      open = OpenCommit(commit, isKnown: chainID != nil, completion)
    case .block(let block):
      if let completion = open?.completion {
        try open.map { try admission?.require(block, of: $0.commit.header) }
        return try completion.add(block)
      }
      guard let open, !open.isKnown else { return }
      try admission?.require(block, of: open.commit.header)
      guard open.stored == nil else { return try store(block, open) }
      open.blocks.append(block)
      open.byteCount += block.stored.count
      if open.byteCount > Self.wholeByteCount { try storeRow(open) }
    }
  }

  /// Stores the row of a commit and the blocks that have arrived.
  private mutating func storeRow(_ open: OpenCommit) throws {
    let commit = open.commit
    try deriveIfRefuted()
    try requireKnown(commit)
    try admission?.require(commit.header)
    try session.log.checkPlace(of: commit)
    let chainID = try session.log.chainID(for: commit)
    let n = session.log.state.nextBlock
    try session.log.storeCommit(
      commit.header,
      bytes: commit.headerBytes,
      id: commit.id,
      n: n,
      chainID: chainID,
      inline: nil
    )
    let takesEffect = try count(commit, n: n, chainID: chainID)
    if takesEffect { try session.beginTogether(try session.log.commit(ofBlock: n)) }
    open.stored = StoredCommit(n: n, chainID: chainID, takesEffect: takesEffect)
    let blocks = open.blocks
    open.blocks = []
    for block in blocks { try store(block, open) }
  }

  private mutating func store(_ block: Block, _ open: OpenCommit) throws {
    guard let (n, index) = open.stored.map({ ($0.n, $0.digests.count) }) else { return }
    guard index < open.commit.header.blockCount, block.isIntact else {
      throw open.commit.damaged("the content of block \(index) does not match its digest")
    }
    try requireLeft(block, index, of: open.commit)
    let number = n + Int64(index)
    try session.log.store(block, number: number)
    open.stored?.digests.append(block.digest)
    if block.isOutline {
      try expectOutline(open.commit)
      open.stored?.isOutline = true
    }
    if block.isRedacted { open.stored?.isRedacted = true }
    try read(block, number: number, open)
  }

  /// Decodes a block, and applies it if the commit takes effect.
  private mutating func read(
    _ block: Block,
    number: Int64,
    _ open: OpenCommit
  ) throws {
    // The content of a sealed commit is read when it is judged.
    guard let stored = open.stored, session.log.view == nil else { return }
    guard stored.chunked == nil else {
      open.stored?.chunked?.chunks.append(try open.commit.chunk(of: block))
      return try completeChunked(open)
    }
    let content = try open.commit.content(of: block)
    try open.commit.verifyKind(of: content)
    if content.chunked == nil {
      try apply(content, number: number, open)
    } else {
      open.stored?.chunked = (content, number, [])
    }
  }

  /// Applies a block whose last value is in chunks, once all of them have arrived.
  private mutating func completeChunked(_ open: OpenCommit) throws {
    guard let stored = open.stored, var chunked = stored.chunked,
      chunked.chunks.count == chunked.content.chunked?.chunkCount
    else { return }
    open.stored?.chunked = nil
    try chunked.content.complete(with: chunked.chunks)
    try apply(chunked.content, number: chunked.block, open)
  }

  private func apply(_ content: BlockContent, number: Int64, _ open: OpenCommit) throws {
    try admission?.require(content, of: open.commit.header)
    guard let n = open.stored?.n, open.stored?.takesEffect == true else { return }
    let info = try session.log.commit(ofBlock: n)
    open.stored?.changes += try session.apply(content, info: info, block: number)
  }

  /// Ends the open commit, if there is one.
  mutating func endCommit() throws {
    guard let open else { return }
    self.open = nil
    if let completion = open.completion { return try finish(completion) }
    guard !open.isKnown else { return }
    let commit = open.commit
    guard let stored = open.stored else {
      return try add(commit.with(open.blocks))
    }
    guard stored.digests.count == commit.header.blockCount, stored.chunked == nil,
      CommitHeader.digest(ofBlocks: stored.digests) == commit.header.blocksDigest
    else { throw commit.damaged("its blocks are not those its header names") }
    if let named = try session.log.redactedCells(of: commit.id) {
      try session.redact(stored.n, named)
    }
    try session.log.noteIfAwaited(
      commit.id,
      n: stored.n,
      isOutline: stored.isOutline,
      isRedacted: session.log.view == nil && stored.isRedacted
    )
    if stored.isRedacted { try requirePurgedTogether(commit.id, at: stored.n) }
    guard stored.takesEffect else { return }
    events.add(try session.settleTogether(stored.changes))
    session.endTogether()
    session.log.noteApplied(commit.header, chainID: stored.chainID)
    try session.applyRedactions(of: commit.header, n: stored.n)
  }
}
