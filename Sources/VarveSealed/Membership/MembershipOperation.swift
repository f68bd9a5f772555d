package import VarveCore

/// What an entry of a membership log does.
package enum MembershipOperation: Hashable, Sendable {
  /// Begins a space, with its creator as its first admin.
  case genesis(mode: SpaceMode, creator: PublicKeys, recovery: PublicKeys)
  /// Adds a device.
  case add(NewMember)
  /// Removes a device; what it wrote counts up to the accepted heads.
  case remove(DeviceID, accepted: [CommitID])
  /// Gives a device another role. Of one that may no longer write, what it wrote counts up to the
  /// accepted heads.
  case role(DeviceID, MemberRole, accepted: [CommitID])
  /// Binds a replica to the signer.
  case bind(ReplicaID)
  /// Begins an epoch.
  case epoch(NewEpoch)
  /// States that everything up to the heads is final: nothing below becomes void.
  case checkpoint([CommitID])
  /// Destroys cells of blocks, and says what is left of them. Which cells is sealed.
  case redact([PurgedBlock], sealed: [UInt8])
  /// Folds history up to a horizon.
  case compact(Horizon)
  /// Joins another branch of the log.
  case join(JoinedBranch)

  /// Whether it joins another branch.
  var isJoin: Bool { kind == .join }

  /// The kind in an entry.
  enum Kind: UInt8, CaseIterable {
    case genesis = 1
    case add = 2
    case remove = 3
    case role = 4
    case bind = 5
    case epoch = 6
    case checkpoint = 7
    case redact = 8
    case compact = 9
    case join = 10
  }

  var kind: Kind {
    switch self {
    case .genesis: .genesis
    case .add: .add
    case .remove: .remove
    case .role: .role
    case .bind: .bind
    case .epoch: .epoch
    case .checkpoint: .checkpoint
    case .redact: .redact
    case .compact: .compact
    case .join: .join
    }
  }
}

/// A device that is added.
package struct NewMember: Hashable, Sendable {
  package let keys: PublicKeys
  package let role: MemberRole
  /// The invitation by which it came, 16 bytes; nil if there was none.
  package let invitation: [UInt8]?
  /// The key of the epoch in force; nil if there is none.
  package let epochKey: SealedEpochKey?

  package init(
    keys: PublicKeys,
    role: MemberRole,
    invitation: [UInt8]? = nil,
    epochKey: SealedEpochKey? = nil
  ) {
    self.keys = keys
    self.role = role
    self.invitation = invitation
    self.epochKey = epochKey
  }
}

/// An epoch that begins.
package struct NewEpoch: Hashable, Sendable {
  package let number: Int64
  package let commitment: ContentDigest
  /// The epochs before it, in rising order of commitment.
  package let earlier: [EarlierEpoch]
  /// The key for each device and for the recovery key, in rising order.
  package let recipients: [Recipient]

  package struct Recipient: Hashable, Sendable {
    package let id: DeviceID
    package let key: SealedEpochKey

    package init(id: DeviceID, key: SealedEpochKey) {
      self.id = id
      self.key = key
    }
  }

  package init(
    number: Int64,
    commitment: ContentDigest,
    earlier: [EarlierEpoch],
    recipients: [Recipient]
  ) {
    self.number = number
    self.commitment = commitment
    self.earlier = earlier
    self.recipients = recipients
  }
}

/// A branch of the log that is joined.
package struct JoinedBranch: Hashable, Sendable {
  /// The number of the last entry that both branches have.
  package let common: Int64
  /// The newest commits that count of the devices that only this branch added.
  package let accepted: [CommitID]
  package let entries: [MembershipEntry]

  package init(after common: Int64, accepted: [CommitID] = [], _ entries: [MembershipEntry]) {
    self.common = common
    self.accepted = accepted
    self.entries = entries
  }
}
