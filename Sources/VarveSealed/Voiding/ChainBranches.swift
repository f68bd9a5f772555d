import VarveCore

/// The chains of a set of commits as branches, so that one look decides what lies below what.
///
/// A branch is a run of commits each of which is the previous one of the next. Where several commits
/// have the same previous one, all but one begin a branch of their own.
struct ChainBranches {
  /// The place of each commit.
  private(set) var places: [CommitID: Place] = [:]
  private(set) var branches: [Branch] = []

  struct Place {
    let branch: Int
    let sequence: Int64
  }

  struct Branch {
    /// The number of its first commit.
    let first: Int64
    /// The commit before the first one; nil if that is not here, or there is none.
    let parent: Place?
  }

  init(_ commits: [CommitFacts]) {
    var continued: Set<CommitID> = []
    for commit in commits.sorted(by: { ($0.id.sequence, $0.id) < ($1.id.sequence, $1.id) }) {
      let id = commit.id
      let previous = CommitID(
        replica: id.replica,
        sequence: id.sequence - 1,
        hash: commit.previous
      )
      let parent = places[previous]
      if let parent, continued.insert(previous).inserted {
        places[id] = Place(branch: parent.branch, sequence: id.sequence)
      } else {
        branches.append(Branch(first: id.sequence, parent: parent))
        places[id] = Place(branch: branches.count - 1, sequence: id.sequence)
      }
    }
  }

  /// The commits at or below some heads.
  struct Coverage {
    /// The greatest number that is covered of each branch.
    fileprivate var numbers: [Int: Int64] = [:]
    /// The greatest number of each replica that may be covered, by what is not here.
    fileprivate var uncertain: [ReplicaID: Int64] = [:]
  }

  /// Whether a commit is covered.
  enum Inclusion {
    case yes
    case no
    /// What decides is not here.
    case unknown
  }

  /// Returns what lies at or below heads.
  func coverage(of heads: some Sequence<CommitID>) -> Coverage {
    var coverage = Coverage()
    for head in heads { cover(head, &coverage) }
    return coverage
  }

  private func cover(_ head: CommitID, _ coverage: inout Coverage) {
    var missing = head.sequence - 1
    var next = places[head]
    while let place = next {
      // What lies below a covered place was covered with it.
      if let number = coverage.numbers[place.branch], number >= place.sequence { return }
      coverage.numbers[place.branch] = place.sequence
      missing = branches[place.branch].first - 1
      next = branches[place.branch].parent
    }
    coverage.uncertain[head.replica] = max(missing, coverage.uncertain[head.replica] ?? 0)
  }

  /// Returns whether a commit of the set is covered.
  func contains(_ commit: CommitID, in coverage: Coverage) -> Inclusion {
    guard let place = places[commit] else { return .no }
    if place.sequence <= coverage.numbers[place.branch] ?? 0 { return .yes }
    return place.sequence <= coverage.uncertain[commit.replica] ?? 0 ? .unknown : .no
  }
}
