public import VarveCore

/// A commit and what it changed in the copy where it was written.
public struct CommitChanges: Hashable, Sendable {
  /// The commit.
  public let commit: CommitSummary
  /// What its author had seen before it.
  public let basis: Frontier
  /// What its author had seen with it.
  public let frontier: Frontier
  /// What differs between the two.
  public let difference: Difference
}

extension Store {
  /// Returns what a commit changed in the state that its author had seen, whatever other copies had
  /// written by then.
  ///
  /// ```swift
  /// let changes = try await store.changes(by: commit.id)
  /// for entity in changes.difference.changed { print(entity.id) }
  /// ```
  ///
  /// - Throws: ``VarveError``: `notFound` if this store does not have the commit; `compacted`,
  ///   `historyAwaited` if the states cannot be read.
  /// - Complexity: As ``diff(from:to:)``.
  public func changes(by id: CommitID) async throws -> CommitChanges {
    let written = try await commit(id)
    let frontier = try await frontier(of: id)
    // The first commit of a branch had seen its predecessor as the head of the chain it left, too.
    var heads = Set(frontier.heads).subtracting([id])
    if written.header.sequence > 1 {
      heads.insert(
        CommitID(
          replica: id.replica,
          sequence: id.sequence - 1,
          hash: written.header.previous
        )
      )
    }
    let basis = Frontier(heads)
    var summary = CommitSummary(written.header, id: id)
    summary.handedOverBy = try await backend.read(at: .now) { try await $0.handover(of: id) }
    return CommitChanges(
      commit: summary,
      basis: basis,
      frontier: frontier,
      difference: try await diff(from: .frontier(basis), to: .frontier(frontier))
    )
  }
}
