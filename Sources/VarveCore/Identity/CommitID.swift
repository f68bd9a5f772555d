/// The name of a commit: who wrote it, its number there, and the hash of its content.
///
/// Two commits of one replica and number with different hashes are a *fork*: the replica's file
/// was copied and both copies went on.
public struct CommitID: Hashable, Sendable {
  /// The replica that wrote the commit.
  public let replica: ReplicaID
  /// The commit's number among that replica's, from 1.
  public let sequence: Int64
  /// The hash of the commit's header.
  public let hash: Digest

  /// Names a commit.
  public init(replica: ReplicaID, sequence: Int64, hash: Digest) {
    self.replica = replica
    self.sequence = sequence
    self.hash = hash
  }
}

extension CommitID: Comparable {
  /// Order of replica, then number, then hash.
  public static func < (left: CommitID, right: CommitID) -> Bool {
    (left.replica, left.sequence, left.hash) < (right.replica, right.sequence, right.hash)
  }
}

extension CommitID: CustomStringConvertible {
  /// The first twelve digits of the hash: enough to name a commit to the command line.
  public var description: String { hash.description }
}

/// The name of one add of a to-many relation: the commit and the cell's place in it.
public struct AddID: Hashable, Sendable, Comparable {
  /// The commit, or nil for the commit the name stands in.
  public var commit: CommitID?
  /// The cell's ordinal in the commit.
  public let ordinal: Int

  /// Names an add.
  public init(commit: CommitID?, ordinal: Int) {
    self.commit = commit
    self.ordinal = ordinal
  }

  /// Order of commit, then ordinal; the commit it stands in comes first.
  public static func < (left: AddID, right: AddID) -> Bool {
    switch (left.commit, right.commit) {
    case (nil, nil): left.ordinal < right.ordinal
    case (nil, _): true
    case (_, nil): false
    case (let a?, let b?): a == b ? left.ordinal < right.ordinal : a < b
    }
  }
}
