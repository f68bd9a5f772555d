import VarveCore

/// Finds the undos of later commits.
extension Undoing {
  /// Reads the log back to the earliest of some later commits, because an undo arrives after the
  /// commit that it undoes. O(commits since that one).
  func findUndos(of commits: Set<CommitID>) async throws {
    while !commits.isSubset(of: recentIDs) {
      let limit = max(64, recent.count * 2)
      recent = try await writer.commit.log(limit: limit, offset: 0)
      recentIDs = Set(recent.map(\.id))
      if recent.count < limit { break }
    }
  }

  /// Returns the commits that changed a family later and whose changes are still in effect, the
  /// latest first. An undo cancels a change also if it wrote nothing about the family, because the
  /// state was right without that.
  func lasting(_ family: AddFamilies.Family) -> [CommitSummary] {
    let commits = Set(family.commits)
    return lasting(family.commits + recent.filter { $0.undone != nil }).filter(commits.contains)
  }
}
