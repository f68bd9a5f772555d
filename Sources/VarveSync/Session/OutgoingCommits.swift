import VarveCore

/// Decides which commits of a log go to the other side, and counts those that cannot.
struct OutgoingCommits: Sendable {
  /// What becomes of a commit.
  enum Decision: Sendable {
    case send(Commit)
    /// The commit is so large that its blocks are read while it is sent.
    case sendLarge(Commit)
    /// The commit cannot be read here.
    case park(Parked)
    /// The commit is incomplete here, or depends on one that the other side cannot get.
    case holdBack
  }

  /// The commits that the other side has, or was sent, or cannot be sent.
  var cover: CommitCover
  /// The commits that the other side cannot get, and those that depend on them.
  private var blocked: Set<CommitID> = []

  /// Starts with what the other side has.
  init(cover: CommitCover = CommitCover()) { self.cover = cover }

  /// Whether the other side can get everything.
  var isComplete: Bool { blocked.isEmpty }

  /// Returns whether and how an item of the log is sent; nil if it was decided before.
  ///
  /// Covers a commit that is not sent. The caller covers the others once they are sent.
  mutating func decide(_ item: LogItem, _ report: inout SyncReport) -> Decision? {
    switch item {
    case .commit(let commit):
      return holdBack(commit, &report) ? .holdBack : .send(commit)
    case .large(let commit):
      return holdBack(commit, &report) ? .holdBack : .sendLarge(commit)
    case .damaged(let id, let error):
      guard !blocked.contains(id) else { return nil }
      return .park(park(id, error, &report))
    case .awaited(let id):
      guard block(id) else { return nil }
      cover.insert(id)
      report.heldBackCount += 1
      return .holdBack
    }
  }

  /// Records that a commit, and those that depend on it, cannot be sent. Returns false if that was
  /// known.
  @discardableResult
  mutating func block(_ id: CommitID) -> Bool { blocked.insert(id).inserted }

  /// Records a commit of this log that cannot be read.
  @discardableResult
  mutating func park(_ id: CommitID, _ error: VarveError, _ report: inout SyncReport) -> Parked {
    let parked = Parked(commit: id, error: error)
    block(id)
    cover.insert(id)
    report.parked.append(parked)
    return parked
  }

  /// Skips a commit that depends on one the other side cannot get.
  private mutating func holdBack(_ commit: Commit, _ report: inout SyncReport) -> Bool {
    guard commit.needed.contains(where: blocked.contains) else { return false }
    block(commit.id)
    cover.insert(commit)
    report.heldBackCount += 1
    return true
  }
}
