/// The search for the newest commit of a chain that another log holds too.
///
/// Two logs that share the beginning of a chain may each have a branch the other lacks (R12), so
/// the other's newest number says nothing. Asking for some commits at a time, named with their
/// hashes, narrows the place where the branches part: first close to the head, at distances that
/// double, then evenly.
///
/// - Complexity: rounds are logarithmic in the length of the chain.
package struct ChainSearch: Sendable, Hashable {
  /// The newest commit of the chain, which the other lacks.
  package let head: CommitID
  /// The newest commit known to be held by both.
  package private(set) var common: CommitID?
  /// The lowest number known to be missing there.
  private var missing: Int64
  private var roundCount = 0

  /// How many commits one round asks for.
  package static let width: Int64 = 32

  /// Begins at a head the other lacks.
  package init(head: CommitID) {
    self.head = head
    missing = head.sequence
  }

  /// The numbers to ask for next; none where the search has ended.
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

  /// Takes in an answer.
  ///
  /// - Parameters:
  ///   - asked: commits of the chain at the numbers asked for.
  ///   - held: those the other holds.
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

  /// The chains of which it is not clear how much of them another log holds.
  ///
  /// - Parameters:
  ///   - ours: the newest commits of the chains here.
  ///   - theirs: of the chains there.
  ///   - heldThere: which of ours the other holds.
  ///   - heldHere: which of theirs are here.
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

extension Backend {
  /// What another log is known to hold of this one: the commits that need not be handed over.
  package func common(with other: any Backend) async throws -> Frontier {
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

/// Commits known to be somewhere, each with all before it, named by as few as will do.
package struct CommitCover: Sendable, Hashable {
  private var ids: Set<CommitID>

  /// Covers some commits and all before them.
  package init(_ ids: some Sequence<CommitID> = []) { self.ids = Set(ids) }

  /// Covers one more, which stands for its predecessor from now on.
  package mutating func insert(_ commit: Commit) {
    insert(commit.id, after: commit.predecessor)
  }

  /// Covers one more, which stands for its predecessor from now on.
  package mutating func insert(_ id: CommitID, after predecessor: CommitID?) {
    if let predecessor { ids.remove(predecessor) }
    ids.insert(id)
  }

  /// Covers one more and all before it.
  package mutating func insert(_ id: CommitID) { ids.insert(id) }

  /// What is covered.
  package var frontier: Frontier { Frontier(ids) }
}
