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

  /// Returns whether the frontier covers a commit, as far as its name shows.
  func covers(_ id: CommitID) -> Bool {
    heads.contains { $0.replica == id.replica && $0.sequence >= id.sequence }
  }
}
