/// The statement that a replica will not write again: an ordinary entity, so it is dated,
/// merged, undone and kept in the history like any other, and every version can read it.
package enum Retirement {
  /// The type of the entities.
  package static let entityType: EntityType = "VarveReplica"
  /// The number of the replica's newest commit that was known when it was retired.
  package static let through: PropertyKey = "through"

  /// The beginning of the identifiers of the entities.
  package static let prefix = "varve.replica/"

  /// Returns the identifier of the entity for a replica.
  package static func id(of replica: ReplicaID) -> EntityID {
    EntityID(unchecked: prefix + replica.text)
  }
}

/// The ends of one chain of commits.
package struct ChainSummary: Sendable, Hashable {
  /// The first commit that belongs to this chain alone: not the replica's first if the chain is a
  /// branch.
  package var first: CommitSummary
  /// The newest commit.
  package var last: CommitSummary

  package init(first: CommitSummary, last: CommitSummary) {
    self.first = first
    self.last = last
  }
}

extension Backend {
  /// Replaces the replica id by a fresh one if it is retired, and returns the fresh one.
  package func leaveRetired() async throws -> ReplicaID? {
    let replica = try await replica()
    do {
      let status = try await read(at: .now) { try await $0.status(of: Retirement.id(of: replica)) }
      guard case .live = status else { return nil }
    } catch let error as VarveError where error.code == .historyAwaited {
      return nil
    }
    return try await leave(replica)
  }
}
