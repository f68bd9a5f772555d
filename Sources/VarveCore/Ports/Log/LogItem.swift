/// A commit as a log passes it to another.
package enum LogItem: Sendable {
  /// A complete commit.
  case commit(Commit)
  /// A commit too large to be passed on at once: without its blocks, which are read separately.
  case large(Commit)
  /// A commit that cannot be read here, and the error. Its hash is zero if not even that is known.
  case damaged(CommitID, VarveError)
  /// A commit that this log has only as an outline.
  case awaited(CommitID)

  /// The name of the commit.
  package var id: CommitID {
    switch self {
    case .commit(let commit), .large(let commit): commit.id
    case .damaged(let id, _), .awaited(let id): id
    }
  }
}

extension Commit {
  /// The size of the header and the blocks.
  package var byteCount: Int { blocks.reduce(headerBytes.count) { $0 + $1.byteCount } }

  /// The previous commit of the same replica; nil for its first.
  package var predecessor: CommitID? {
    guard header.sequence > 1 else { return nil }
    return CommitID(
      replica: header.replica,
      sequence: header.sequence - 1,
      hash: header.previous
    )
  }

  /// The commit's direct dependencies: its predecessor, then commits of other replicas.
  package var needed: [CommitID] { (predecessor.map { [$0] } ?? []) + header.dependencies }
}

extension Block {
  /// The size of the block when stored or sent.
  package var byteCount: Int { salt.count + stored.count }
}
