import VarveCore

extension MembershipState {
  /// Verifies all of an entry but its signature and its place in the log, and applies it. Everything is
  /// verified before anything changes, so an entry that is not valid changes nothing.
  ///
  /// A join is applied by the log, which has the entries of both branches.
  mutating func apply(_ entry: MembershipEntry) throws {
    try verifyRight(of: entry)
    switch entry.operation {
    case .genesis: throw entry.invalid("a space begins once")
    case .add(let member): try add(member, entry)
    case .remove(let device, let accepted): try remove(device, accepted, entry)
    case .role(let device, let role, let accepted): try change(device, role, accepted, entry)
    case .bind(let replica): try bind(replica, entry)
    case .epoch(let epoch): try begin(epoch, entry)
    case .checkpoint(let heads): try note(heads, entry)
    case .redact(let blocks, _): try verifyCheckpointed(blocks.map(\.name.commit), entry)
    case .compact(let horizon): try verifyCheckpointed(horizon.frontier.heads, entry)
    case .join: break
    }
  }

  /// Verifies that the signer may do this.
  private func verifyRight(of entry: MembershipEntry) throws {
    let isPermitted =
      switch entry.operation {
      case .genesis: false
      case .bind: role(of: entry.signer).map { $0 >= .writer } ?? false
      case .join: entry.signer == recovery.id
      default: isAdmin(entry.signer)
      }
    guard isPermitted else {
      throw VarveError(
        .forbidden,
        "\(entry.name) is not valid: its signer may not do this",
        at: entry.name,
        remedy: "Let an admin of the space do it."
      )
    }
    let isForSealed =
      switch entry.operation {
      case .epoch, .checkpoint, .redact, .compact: true
      default: false
      }
    guard !isForSealed || mode == .sealed else { throw entry.invalid("the space is open") }
  }

  private mutating func add(_ member: NewMember, _ entry: MembershipEntry) throws {
    let id = member.keys.id
    guard devices[id] == nil, id != recovery.id else {
      throw entry.invalid("the device was in the space before")
    }
    guard devices.count < SealedLimits.deviceCount, members.count < SealedLimits.memberCount else {
      throw entry.invalid("there are too many devices")
    }
    if let invitation = member.invitation, usedInvitations.contains(invitation) {
      throw entry.invalid("the invitation was used before")
    }
    guard (member.epochKey != nil) == (epochInForce != nil) else {
      throw entry.invalid("the key of the epoch is missing, or no epoch is in force")
    }
    if let invitation = member.invitation { usedInvitations.insert(invitation) }
    devices[id] = Device(keys: member.keys, role: member.role)
  }

  private mutating func remove(
    _ device: DeviceID,
    _ accepted: [CommitID],
    _ entry: MembershipEntry
  ) throws {
    guard role(of: device) != nil else { throw entry.invalid("there is no such device") }
    try close(device, accepted, entry)
    devices[device]?.role = nil
    epochInForce = nil
  }

  private mutating func change(
    _ device: DeviceID,
    _ role: MemberRole,
    _ accepted: [CommitID],
    _ entry: MembershipEntry
  ) throws {
    guard let former = self.role(of: device), former != role else {
      throw entry.invalid("there is no such device, or it has the role")
    }
    if role == .reader {
      try close(device, accepted, entry)
    } else if !accepted.isEmpty {
      throw entry.invalid("there are accepted heads, although the device may still write")
    }
    devices[device]?.role = role
  }

  /// Ends the chains of a device.
  private mutating func close(
    _ device: DeviceID,
    _ accepted: [CommitID],
    _ entry: MembershipEntry
  ) throws {
    guard accepted.allSatisfy({ replicas[$0.replica] == device }) else {
      throw entry.invalid("an accepted head is not of the device")
    }
    closures[entry.hash] = Closure(
      devices: [device],
      replicas: Set(replicas.filter { $0.value == device }.keys),
      accepted: Dictionary(grouping: accepted, by: \.replica),
      checkpoints: Set(checkpoints.keys)
    )
  }

  private mutating func bind(_ replica: ReplicaID, _ entry: MembershipEntry) throws {
    guard replicas[replica] == nil else {
      throw entry.invalid("the replica is bound to a device already")
    }
    guard var device = devices[entry.signer], device.replicaCount < SealedLimits.replicaCount else {
      throw entry.invalid("the device has too many replicas")
    }
    device.replicaCount += 1
    devices[entry.signer] = device
    replicas[replica] = entry.signer
  }

  private mutating func begin(_ epoch: NewEpoch, _ entry: MembershipEntry) throws {
    guard epoch.number == epochNumber + 1 else {
      throw entry.invalid("the epoch has the number \(epoch.number)")
    }
    guard !commitments.contains(epoch.commitment) else {
      throw entry.invalid("the key was that of an epoch before")
    }
    guard epoch.earlier.map(\.commitment) == epochEnds.sorted() else {
      throw entry.invalid("it does not seal the epochs before it")
    }
    guard epoch.recipients.map(\.id) == recipients.map(\.id) else {
      throw entry.invalid("it is not sealed to exactly the devices of the space")
    }
    commitments.insert(epoch.commitment)
    epochNumber = epoch.number
    epochInForce = epoch.commitment
    epochEnds = [epoch.commitment]
  }

  private mutating func note(_ heads: [CommitID], _ entry: MembershipEntry) throws {
    guard heads.allSatisfy({ replicas[$0.replica] != nil }) else {
      throw entry.invalid("a head is of a replica that is bound to no device")
    }
    checkpoints[entry.hash] = heads
    for head in heads {
      checkpointedNumbers[head.replica] = max(
        head.sequence,
        checkpointedNumbers[head.replica] ?? 0
      )
    }
  }

  private func verifyCheckpointed(_ commits: [CommitID], _ entry: MembershipEntry) throws {
    guard commits.allSatisfy({ $0.sequence <= checkpointedNumbers[$0.replica] ?? 0 }) else {
      throw entry.invalid("it names a commit that is below no checkpoint")
    }
  }
}

extension MembershipEntry {
  /// Returns the error of an entry that does not follow from those before it.
  func invalid(_ why: String) -> VarveError { StrictReading.damaged(name, why) }
}
