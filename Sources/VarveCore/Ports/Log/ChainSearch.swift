/// A search for the newest commit of a chain that another log also has.
///
/// Two logs that share the beginning of a chain may each have a branch the other lacks (R12), so
/// the other's newest number is not enough. Each round asks about some commits, named with their
/// hashes, and so narrows down where the branches part: first close to the head, at distances that
/// double, then evenly.
///
/// - Complexity: the number of rounds is logarithmic in the length of the chain.
package struct ChainSearch: Sendable, Hashable {
  /// The newest commit of the chain, which the other log lacks.
  package let head: CommitID
  /// The newest commit known to be in both logs.
  package private(set) var common: CommitID?
  /// The lowest number known to be missing in the other log.
  private var missing: Int64
  private var roundCount = 0

  /// The number of commits in one round.
  package static let width: Int64 = 32

  /// Starts at a head the other log lacks.
  package init(head: CommitID) {
    self.head = head
    missing = head.sequence
  }

  /// The numbers to ask about next; empty once the search has ended.
  package var questions: [Int64] {
    let low = common?.sequence ?? 0
    let gap = missing - low - 1
    guard gap > 0 else { return [] }
    var numbers: [Int64]
    if gap <= Self.width {
      numbers = Array(low + 1...missing - 1)
    } else if roundCount == 0 {
      numbers = (0..<Self.width).map { missing - (1 << min($0, 61)) }.filter { $0 > low }
      numbers.append(low + 1)
    } else {
      numbers = (1...Self.width).map { low + gap / (Self.width + 1) * $0 + 1 }
    }
    return Set(numbers).sorted()
  }

  /// Handles the reply to a round.
  ///
  /// - Parameters:
  ///   - asked: commits of the chain at the numbers asked about.
  ///   - held: those the other log has.
  package mutating func learn(asked: [CommitID], held: Set<CommitID>) {
    roundCount += 1
    for id in asked.sorted(by: { $0.sequence < $1.sequence }) {
      guard held.contains(id) else {
        missing = min(missing, id.sequence)
        return
      }
      common = id
    }
    if asked.isEmpty { missing = (common?.sequence ?? 0) + 1 }
  }

  /// Returns searches for the chains of which it is not known how much another log has.
  ///
  /// - Parameters:
  ///   - ours: the newest commits of the chains here.
  ///   - theirs: the newest commits of the chains there.
  ///   - heldThere: those of ours that the other log has.
  ///   - heldHere: those of theirs that are here.
  package static func open(
    ours: [CommitID],
    theirs: [CommitID],
    heldThere: Set<CommitID>,
    heldHere: Set<CommitID>
  ) -> [ChainSearch] {
    let unknown = Set(theirs.filter { !heldHere.contains($0) }.map(\.replica))
    return ours.filter { !heldThere.contains($0) && unknown.contains($0.replica) }
      .map(ChainSearch.init)
  }
}

extension CommitSource {
  /// Returns what another log is known to share with this one: the commits that need not be sent.
  package func common(with other: any CommitSource) async throws -> Frontier {
    let (ours, theirs) = (try await frontier().heads, try await other.frontier().heads)
    let heldThere = try await other.held(among: ours)
    let heldHere = try await held(among: theirs)
    var common = heldThere.union(heldHere)
    let open = ChainSearch.open(
      ours: ours,
      theirs: theirs,
      heldThere: heldThere,
      heldHere: heldHere
    )
    for var search in open {
      while !search.questions.isEmpty {
        let asked = try await predecessors(of: search.head, at: search.questions)
        search.learn(asked: asked, held: try await other.held(among: asked))
      }
      if let id = search.common { common.insert(id) }
    }
    return Frontier(common)
  }
}

/// Commits known to be somewhere, each with all its predecessors, named by as few as possible.
package struct CommitCover: Sendable, Hashable {
  private var ids: Set<CommitID>

  /// Covers some commits and all their predecessors.
  package init(_ ids: some Sequence<CommitID> = []) { self.ids = Set(ids) }

  /// Covers a commit, which replaces its predecessor.
  package mutating func insert(_ commit: Commit) {
    insert(commit.id, after: commit.predecessor)
  }

  /// Covers a commit, which replaces its predecessor.
  package mutating func insert(_ id: CommitID, after predecessor: CommitID?) {
    if let predecessor { ids.remove(predecessor) }
    ids.insert(id)
  }

  /// Covers a commit and all its predecessors.
  package mutating func insert(_ id: CommitID) { ids.insert(id) }

  /// The commits covered.
  package var frontier: Frontier { Frontier(ids) }
}
