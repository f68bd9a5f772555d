/// An event in the order of a home.
package struct HomeArrival: Sendable, Hashable {
  /// The kinds of arrivals. The numbers are part of the running hash.
  package enum Kind: UInt8, Sendable, Hashable {
    /// A commit that takes effect at once; its header and blocks follow.
    case commit = 1
    /// A commit from too far in the future, which is withheld (R11); its header and blocks follow.
    case withheldCommit = 2
    /// A withheld commit takes effect.
    case release = 3
    /// The missing blocks of a commit that had arrived in part. Its header and all blocks follow.
    case completion = 4
    /// A record of a sealed space: what its relay keeps beside the commits. Its bytes follow.
    case record = 5
  }

  package let kind: Kind
  /// The commit it is about.
  package let commit: CommitID
  /// The name of the caller who handed it over; nil if a host wrote it. Not part of the running
  /// hash.
  package let principal: String?

  package init(_ kind: Kind, _ commit: CommitID, principal: String? = nil) {
    self.kind = kind
    self.commit = commit
    self.principal = principal
  }

  /// Returns the arrival of a record. It is about no commit: in place of one it has the hash of the
  /// record's bytes, so the running hash covers them.
  package static func record(_ bytes: [UInt8]) -> HomeArrival {
    let none = ReplicaID(high: 0, low: 0)
    return HomeArrival(.record, CommitID(replica: none, sequence: 0, hash: .sha256(bytes)))
  }
}

/// A part of what arrives at a home.
package enum HomePart: Sendable {
  /// An arrival begins.
  case arrival(HomeArrival)
  /// The header, or the next block, of the commit that is arriving.
  case part(CommitPart)
  /// The bytes of the record that is arriving.
  case record([UInt8])
}
