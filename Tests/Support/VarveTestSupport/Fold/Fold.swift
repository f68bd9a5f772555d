package import VarveCore

/// The meaning of Varve: a function from a set of commits to a state, independent of their order.
///
/// The storage engines are tested against this model. It keeps all commits in memory and computes
/// each state from scratch.
///
/// - Complexity: `state` is O(cells × log cells).
package struct Fold: Sendable {
  package struct Entry: Sendable {
    package let header: CommitHeader
    package let cells: [Cell]
    package let redactions: [Redaction]

    package func order(hash: ContentDigest) -> CommitOrder {
      CommitOrder(stamp: header.stamp, hash: hash)
    }
  }

  package private(set) var commits: [CommitID: Entry] = [:]
  /// Whether any commit contains redactions.
  package private(set) var hasRedactions = false

  /// Whether the redactions of a commit apply; if not, the state is the one without them.
  private let forgets: @Sendable (CommitHeader) -> Bool

  /// Creates an empty fold.
  package init() { forgets = { _ in true } }

  /// Creates an empty fold that ignores some redactions.
  package init(forgetting forgets: @escaping @Sendable (CommitHeader) -> Bool) {
    self.forgets = forgets
  }

  /// Adds a commit; adding it again changes nothing.
  ///
  /// - Throws: ``VarveError`` with code `damaged` if the commit cannot be read.
  package mutating func insert(_ commit: Commit) throws {
    guard commits[commit.id] == nil else { return }
    try commit.verify()
    commits[commit.id] = Entry(
      header: commit.header,
      cells: try commit.cells(),
      redactions: try commit.redactions()
    )
    hasRedactions = hasRedactions || commit.header.kind == .redactions
  }

  /// The newest commit of every chain.
  package var frontier: Frontier {
    var predecessors: Set<ContentDigest> = []
    for entry in commits.values { predecessors.insert(entry.header.previous) }
    return Frontier(commits.keys.filter { !predecessors.contains($0.hash) })
  }

  /// Returns the commits a frontier names and all their predecessors.
  package func closure(of frontier: Frontier) -> Set<CommitID> {
    var closure: Set<CommitID> = []
    for head in frontier.heads {
      var next: CommitID? = head
      while let id = next, let entry = commits[id], closure.insert(id).inserted {
        next =
          id.sequence == 1
          ? nil
          : CommitID(
            replica: id.replica,
            sequence: id.sequence - 1,
            hash: entry.header.previous
          )
      }
    }
    return closure
  }

  /// Returns the state at a moment.
  ///
  /// - Parameters:
  ///   - moment: which cells count.
  ///   - wallMilliseconds: the local clock; commits stamped too far ahead of it are withheld (R11).
  ///     Nil withholds nothing.
  package func state(at moment: Moment = .now, wallMilliseconds: Int64? = nil) -> FoldedState {
    var gathering = Gathering(
      redacted: redactedCells(wallMilliseconds: wallMilliseconds),
      due: dueCommits(wallMilliseconds: wallMilliseconds)
    )
    let included: Set<CommitID>? =
      if case .frontier(let frontier) = moment { closure(of: frontier) } else { nil }
    let cutoff = if case .time(let time) = moment { time } else { HybridTime.distantFuture }
    for (id, entry) in commits {
      if let included, !included.contains(id) { continue }
      guard isDue(entry, wallMilliseconds) else { continue }
      gathering.add(entry, id: id, cutoff: cutoff)
    }
    return gathering.state()
  }

  /// Returns the redacted cells of each commit, for any moment: what is redacted is absent from
  /// every past state too.
  package func redactedCells(wallMilliseconds: Int64? = nil) -> [CommitID: RedactedCells] {
    guard hasRedactions else { return [:] }
    var redacted: [CommitID: RedactedCells] = [:]
    for entry in commits.values
    where !entry.redactions.isEmpty && isDue(entry, wallMilliseconds) && forgets(entry.header) {
      for redaction in entry.redactions {
        redacted[redaction.commit, default: RedactedCells()].add(redaction.parts)
      }
    }
    return redacted
  }

  /// Throws if history was compacted beyond a moment.
  package func checkHorizons(_ moment: Moment, wallMilliseconds: Int64? = nil) throws {
    guard hasRedactions, moment != .now else { return }
    for entry in commits.values where isDue(entry, wallMilliseconds) && forgets(entry.header) {
      guard let horizon = try entry.header.horizon else { continue }
      switch moment {
      case .now: break
      case .time(let time): guard time >= horizon.time else { throw horizon.isPassed }
      case .frontier(let frontier):
        let isThere = Set(horizon.frontier.heads).isSubset(of: closure(of: frontier))
        guard isThere else { throw horizon.isPassed }
      }
    }
  }

  /// Returns whether a commit is not withheld.
  package func isDue(_ entry: Entry, _ wallMilliseconds: Int64?) -> Bool {
    guard let wallMilliseconds else { return true }
    return !HybridClock.isWithheld(entry.header.time, wallMilliseconds: wallMilliseconds)
  }

  /// Returns the commits that are not withheld.
  package func dueCommits(wallMilliseconds: Int64? = nil) -> Set<CommitID> {
    Set(commits.filter { isDue($0.value, wallMilliseconds) }.keys)
  }

  /// Returns what the author of a commit saw when it was written: the state of everything it had
  /// seen, and of the commit.
  package func view(of id: CommitID) -> FoldedState {
    var gathering = Gathering(redacted: redactedCells(), due: Set(commits.keys))
    for other in seen(by: id) {
      guard let entry = commits[other] else { continue }
      gathering.add(entry, id: other, cutoff: .distantFuture)
    }
    return gathering.state()
  }
}
