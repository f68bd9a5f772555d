import VarveCore

extension Frontier {
  /// Returns the frontier extended by a commit whose predecessor it covers.
  func including(_ commit: Commit) -> Frontier {
    let before = CommitID(
      replica: commit.id.replica,
      sequence: commit.id.sequence - 1,
      hash: commit.header.previous
    )
    return Frontier(heads.filter { $0 != before && $0 != commit.id } + [commit.id])
  }

  /// Returns the frontier without some commits, which are the ends of their chains.
  func excluding(_ commits: [CommitID: Commit]) -> Frontier {
    var kept: Set<CommitID> = []
    for head in heads {
      var newest = head
      while let commit = commits[newest] {
        newest = CommitID(
          replica: newest.replica,
          sequence: newest.sequence - 1,
          hash: commit.header.previous
        )
      }
      if newest.sequence > 0 { kept.insert(newest) }
    }
    return Frontier(kept)
  }

  /// Returns whether the frontier covers a commit, as far as its name shows.
  func covers(_ id: CommitID) -> Bool {
    heads.contains { $0.replica == id.replica && $0.sequence >= id.sequence }
  }
}
