/// The name of a commit: its replica, its number in that replica, and the hash of its content.
///
/// Two commits of one replica and number with different hashes are a *fork*: the replica's file was
/// copied, and both copies were written to.
///
/// It is encoded as an object with `replica`, `sequence` and `hash`.
public struct CommitID: Hashable, Sendable, Codable {
  /// The replica that wrote the commit.
  public let replica: ReplicaID
  /// The commit's number in its replica, from 1.
  public let sequence: Int64
  /// The hash of the commit's header.
  public let hash: ContentDigest

  /// Creates the name of a commit.
  public init(replica: ReplicaID, sequence: Int64, hash: ContentDigest) {
    self.replica = replica
    self.sequence = sequence
    self.hash = hash
  }
}

extension CommitID: Comparable {
  /// Orders by replica, then number, then hash.
  public static func < (left: CommitID, right: CommitID) -> Bool {
    (left.replica, left.sequence, left.hash) < (right.replica, right.sequence, right.hash)
  }
}

extension CommitID: CustomStringConvertible {
  /// The first twelve digits of the hash, enough to name a commit on the command line.
  public var description: String { hash.description }
}

/// The name of one add of a relation: its commit and its ordinal there.
///
/// It is encoded as an object with `ordinal`, and with `commit` if it is another one than that
/// which contains the name.
public struct AddID: Hashable, Sendable, Comparable, Codable {
  /// The commit, or nil for the commit that contains the name.
  public var commit: CommitID?
  /// The cell's ordinal in the commit.
  public let ordinal: Int

  /// Creates the name of an add.
  public init(commit: CommitID?, ordinal: Int) {
    self.commit = commit
    self.ordinal = ordinal
  }

  /// Orders by commit, then ordinal; nil, the containing commit, comes first.
  public static func < (left: AddID, right: AddID) -> Bool {
    switch (left.commit, right.commit) {
    case (nil, nil): left.ordinal < right.ordinal
    case (nil, _): true
    case (_, nil): false
    case (let a?, let b?): a == b ? left.ordinal < right.ordinal : a < b
    }
  }
}
