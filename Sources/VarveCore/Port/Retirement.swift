/// What says of a replica that it will write no more: an ordinary entity, so that it is dated, signed,
/// merged, undone and kept in the history as everything is, and read by every version.
package enum Retirement {
  /// The type of the entities.
  package static let entityType: EntityType = "VarveReplica"
  /// The newest number of the replica that whoever retired it knew of.
  package static let through: PropertyKey = "through"

  /// The entity that speaks of a replica.
  package static func id(of replica: ReplicaID) -> EntityID {
    EntityID(unchecked: "varve.replica/\(replica.text)")
  }
}

/// One chain of commits, by its ends.
package struct ChainSummary: Sendable, Hashable {
  /// The first commit that is this chain's own: not the replica's first, where it branched off.
  package var first: CommitSummary
  /// The newest.
  package var last: CommitSummary

  package init(first: CommitSummary, last: CommitSummary) {
    self.first = first
    self.last = last
  }
}

extension Backend {
  /// Goes on under a fresh replica id where the present one is retired, and answers the fresh one.
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
