package import VarveCore

/// The log of a reference backend as a value: copying it is taking a snapshot.
package struct ReferenceLog: Sendable {
  /// The replica that writes here.
  package private(set) var replica: ReplicaID
  /// In the order in which they came.
  package private(set) var arrivals: [Commit] = []
  package private(set) var fold: Fold
  private var byID: [CommitID: Commit] = [:]
  /// Whether redactions may still have to be applied.
  private var mayRemember = false
  /// The newest commit written here under the present replica.
  private var last: CommitID?
  /// The heads at the time when it was written.
  private var reportedHeads: Set<CommitID> = []

  package init(
    replica: ReplicaID,
    forgetting forgets: @escaping @Sendable (CommitHeader) -> Bool = { _ in true }
  ) {
    self.replica = replica
    fold = Fold(forgetting: forgets)
  }

  package subscript(id: CommitID) -> Commit? { byID[id] }

  /// What the present caller may not do; nil if nothing limits them. The log is bound to no space.
  var admission: Admission? { Admission(of: LogCaller.current, own: replica, boundTo: []) }

  package func summary(of id: CommitID) -> CommitSummary? {
    byID[id].map { CommitSummary($0.header, id: id) }
  }

  package func withheldCount(wallMilliseconds: Int64) -> Int {
    arrivals.count - effective(wallMilliseconds).count
  }

  /// Commits the local clock has reached (R11).
  private func effective(_ wallMilliseconds: Int64) -> [Commit] {
    arrivals.filter {
      !HybridClock.isWithheld($0.header.time, wallMilliseconds: wallMilliseconds)
    }
  }
}

/// A local commit before the log has completed its header.
package struct CommitDraft: Sendable {
  package var header: CommitHeader

  /// Creates a draft whose header lacks the facts about its blocks.
  package init(header: CommitHeader) { self.header = header }

  /// Puts a commit together.
  package func commit(
    _ blocks: [Block],
    ordinalCount: Int,
    latestTime: HybridTime?,
    kind: CommitHeader.Kind = .ordinary,
    horizon: Horizon? = nil
  ) -> Commit {
    var header = header
    if let horizon { header.extensions.append(horizon.field) }
    header.kind = kind
    header.ordinalCount = ordinalCount
    header.blockCount = blocks.count
    header.blocksDigest = CommitHeader.digest(ofBlocks: blocks.map(\.digest))
    header.latestCellTime = latestTime.flatMap { $0 > header.time ? $0 : nil }
    return Commit(header: header, blocks: blocks)
  }
}

extension ReferenceLog {
  /// Goes on under another replica (R11, R12).
  package mutating func goOn(as replica: ReplicaID) {
    self.replica = replica
    last = nil
    reportedHeads = []
  }

  /// Returns whether the local clock was set back so far that the last local commit is not due yet.
  package func isAheadOfItself(wallMilliseconds: Int64) -> Bool {
    guard let last, let commit = byID[last] else { return false }
    return HybridClock.isWithheld(commit.header.time, wallMilliseconds: wallMilliseconds)
  }

  /// Returns the next local commit, without cells. Its stamp is above everything applied.
  package func draft(_ request: WriteRequest, wallMilliseconds: Int64) -> CommitDraft {
    let effective = effective(wallMilliseconds)
    var clock = HybridClock()
    for commit in effective { clock.observe(commit.header.time) }
    let dependencies = heads(of: effective).subtracting(reportedHeads).filter { $0 != last }
    var header = CommitHeader(
      replica: replica,
      sequence: (last?.sequence ?? 0) + 1,
      time: clock.tick(wallMilliseconds: wallMilliseconds),
      previous: last?.hash ?? .zero,
      dependencies: dependencies.sorted(),
      author: request.author,
      message: request.message,
      ordinalCount: 0,
      blockCount: 0,
      blocksDigest: .zero
    )
    header.undone = request.undone
    return CommitDraft(header: header)
  }

  private func heads(of commits: [Commit]) -> Set<CommitID> {
    var predecessors: Set<ContentDigest> = []
    for commit in commits { predecessors.insert(commit.header.previous) }
    return Set(commits.map(\.id).filter { !predecessors.contains($0.hash) })
  }

  /// Adds a commit written here.
  package mutating func insertLocal(_ commit: Commit, wallMilliseconds: Int64) throws {
    reportedHeads = heads(of: effective(wallMilliseconds))
    try insert(commit)
    last = commit.id
  }

  private mutating func insert(_ commit: Commit) throws {
    try fold.insert(commit)
    arrivals.append(commit)
    byID[commit.id] = commit
    mayRemember = mayRemember || fold.hasRedactions
  }
}

extension ReferenceLog {
  /// Adds commits written elsewhere; returns those that were new. On an error the log is useless.
  package mutating func append(_ commits: [Commit]) throws -> [Commit] {
    var added: [Commit] = []
    for commit in commits where byID[commit.id] == nil {
      try checkCausality(of: commit)
      try insert(commit)
      added.append(commit)
    }
    return added
  }

  /// Applies due redactions to the commits, so that they are returned without the redacted cells.
  package mutating func forgetDue(wallMilliseconds: Int64) throws {
    guard mayRemember else { return }
    for (id, named) in fold.redactedCells(wallMilliseconds: wallMilliseconds) {
      guard let commit = byID[id] else { continue }
      let rest = try commit.redacted(named)
      byID[id] = rest
      if let index = arrivals.firstIndex(where: { $0.id == id }) { arrivals[index] = rest }
    }
    mayRemember = withheldCount(wallMilliseconds: wallMilliseconds) > 0
  }

  /// Returns the commits whose replica and number no commit here has.
  func newByNumber(_ commits: [Commit]) -> [Commit] {
    let known = Set(arrivals.map { [$0.id.replica.text, "\($0.id.sequence)"] })
    return commits.filter { !known.contains([$0.id.replica.text, "\($0.id.sequence)"]) }
  }

  private func checkCausality(of commit: Commit) throws {
    let header = commit.header
    var needed = header.dependencies
    if header.sequence > 1 {
      needed.append(
        CommitID(
          replica: header.replica,
          sequence: header.sequence - 1,
          hash: header.previous
        )
      )
    } else if header.previous != .zero {
      throw commit.damaged("it is its replica's first and names a predecessor")
    }
    for id in needed {
      guard let other = byID[id] else {
        throw VarveError(
          .missingDependencies,
          "a commit came before one it depends on",
          at: "commit \(header.sequence) of replica \(header.replica)",
          remedy: "Append commit \(id.sequence) of replica \(id.replica) first."
        )
      }
      guard other.header.time < header.time else {
        throw commit.damaged("its stamp is not above those of the commits it had seen")
      }
    }
  }

  /// Returns the commits that a frontier does not cover, in order of stamp; at least one if there
  /// are any.
  package func commits(beyond frontier: Frontier, atMost byteCount: Int) -> [Commit] {
    let below = fold.closure(of: frontier)
    let missing = arrivals.filter { !below.contains($0.id) }.sorted { left, right in
      CommitOrder(stamp: left.header.stamp, hash: left.id.hash)
        < CommitOrder(stamp: right.header.stamp, hash: right.id.hash)
    }
    var part: [Commit] = []
    var size = 0
    for commit in missing {
      size += commit.headerBytes.count + commit.blocks.reduce(0) { $0 + $1.stored.count }
      if size > byteCount, !part.isEmpty { break }
      part.append(commit)
    }
    return part
  }
}
