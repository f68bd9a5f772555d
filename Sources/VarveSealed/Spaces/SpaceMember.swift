public import VarveCore

/// A device of a sealed space.
public struct SpaceMember: Sendable, Hashable, Identifiable {
  /// The device: 64 hexadecimal digits.
  public let id: String
  /// What it may do; nil if it was removed.
  public let role: MemberRole?
  /// The replicas under which it writes or wrote.
  public let replicas: [ReplicaID]
  /// Whether it is this device.
  public let isThisDevice: Bool

  init(_ id: DeviceID, _ state: MembershipState, isThisDevice: Bool) {
    self.id = id.digest.hexadecimal
    role = state.role(of: id)
    replicas = state.replicas.filter { $0.value == id }.keys.sorted()
    self.isThisDevice = isThisDevice
  }
}

/// A commit of a sealed space that does not count (R29).
public struct UncountedCommit: Sendable, Hashable {
  /// The commit.
  public let id: CommitID
  /// Whether it never counts: its device was removed, or could not write. Otherwise it waits.
  public let isVoid: Bool
  /// What it waits for, or why it is void, in one word, as in Documentation/Security.md.
  public let reason: String

  init?(_ id: CommitID, _ standing: CommitStanding) {
    self.id = id
    switch standing {
    case .accepted: return nil
    case .waiting(let reason): (isVoid, self.reason) = (false, reason)
    case .void(let reason): (isVoid, self.reason) = (true, reason)
    }
  }
}

/// What a store knows of its sealed space.
public struct SpaceMembership: Sendable, Hashable {
  /// The space; nil if the store belongs to none yet.
  public let space: SpaceID?
  /// What this device may do; nil if it is no member.
  public let role: MemberRole?
  /// Whether the membership is ordered here.
  public let isHome: Bool
  /// Whether writes are possible: a device is removed at once, and an admin then begins an epoch.
  public let hasEpoch: Bool
  /// The number of changes that were asked for here, which the home has not ordered yet.
  public let pendingChangeCount: Int
}
