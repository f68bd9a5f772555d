package import VarveCore

/// Who may do what in a space after an entry of its membership log.
package struct MembershipState: Sendable {
  package let space: SpaceID
  package let mode: SpaceMode
  /// The hash of the first entry.
  package let genesis: ContentDigest
  package let recovery: PublicKeys
  /// The devices that the space ever had.
  package internal(set) var devices: [DeviceID: Device] = [:]
  /// The device of each replica.
  package internal(set) var replicas: [ReplicaID: DeviceID] = [:]
  /// The invitations that were used.
  var usedInvitations: Set<[UInt8]> = []
  /// The number of the newest epoch; 0 before the first.
  package internal(set) var epochNumber: Int64 = 0
  /// The commitment of the epoch in force; nil if nobody may write.
  package internal(set) var epochInForce: ContentDigest?
  /// The commitments of all epochs.
  var commitments: Set<ContentDigest> = []
  /// The epochs that no later one seals.
  package internal(set) var epochEnds: Set<ContentDigest> = []
  /// The ends of chains, by the hashes of the entries that end them.
  package internal(set) var closures: [ContentDigest: Closure] = [:]
  /// The heads of each checkpoint, by the hash of its entry.
  package internal(set) var checkpoints: [ContentDigest: [CommitID]] = [:]
  /// The greatest number that a checkpoint names of each replica.
  var checkpointedNumbers: [ReplicaID: Int64] = [:]

  /// A device and what it may do.
  package struct Device: Sendable, Hashable {
    package let keys: PublicKeys
    /// Its role; nil if it was removed.
    package internal(set) var role: MemberRole?
    /// The number of replicas that are bound to it.
    var replicaCount = 0
  }

  /// The end of a device's chains.
  package struct Closure: Sendable, Hashable {
    /// The devices whose chains end.
    let devices: Set<DeviceID>
    /// The replicas that are closed.
    package internal(set) var replicas: Set<ReplicaID>
    /// The newest commits that count, by replica.
    package let accepted: [ReplicaID: [CommitID]]
    /// The checkpoints that the closure does not undo: those before it.
    package let checkpoints: Set<ContentDigest>
  }

  init(space: SpaceID, mode: SpaceMode, genesis: ContentDigest, recovery: PublicKeys) {
    self.space = space
    self.mode = mode
    self.genesis = genesis
    self.recovery = recovery
  }

  /// Returns the role of a device; nil if it is unknown or removed.
  package func role(of device: DeviceID) -> MemberRole? { devices[device]?.role }

  /// Returns whether a signer may do what admins do.
  package func isAdmin(_ signer: DeviceID) -> Bool {
    signer == recovery.id || role(of: signer) == .admin
  }

  /// Whether a device is the only admin.
  package func isOnlyAdmin(_ device: DeviceID) -> Bool {
    role(of: device) == .admin && !devices.keys.contains { $0 != device && role(of: $0) == .admin }
  }

  /// Whether what is written under a replica from now on never counts: its device was removed, or was a
  /// reader.
  package func isClosed(_ replica: ReplicaID) -> Bool {
    closures.values.contains { $0.replicas.contains(replica) }
  }

  /// Returns whether a device may write under a replica.
  package func mayWrite(_ device: DeviceID, as replica: ReplicaID) -> Bool {
    guard let role = role(of: device) else { return false }
    return role >= .writer && replicas[replica] == device
  }

  /// Returns the public keys of a device that was ever in the space, or of the recovery key.
  package func keys(of signer: DeviceID) -> PublicKeys? {
    signer == recovery.id ? recovery : devices[signer]?.keys
  }

  /// The devices that are not removed, in rising order.
  package var members: [DeviceID] {
    devices.filter { $0.value.role != nil }.keys.sorted()
  }

  /// The recipients of a new epoch's key, in rising order of their ids.
  package var recipients: [PublicKeys] {
    (members.compactMap { devices[$0]?.keys } + [recovery]).sorted { $0.id < $1.id }
  }
}
