import VarveCore

extension MembershipState {
  /// Takes over the state of another branch, so that removals of both stand.
  ///
  /// After this no epoch is in force: whoever was removed in either branch may have had the keys of
  /// the other.
  mutating func join(_ other: MembershipState) {
    joinDevices(of: other)
    joinClosures(of: other)
    usedInvitations.formUnion(other.usedInvitations)
    commitments.formUnion(other.commitments)
    epochEnds.formUnion(other.epochEnds)
    epochNumber = max(epochNumber, other.epochNumber)
    epochInForce = nil
  }

  private mutating func joinDevices(of other: MembershipState) {
    for (id, theirs) in other.devices {
      guard let own = devices[id] else {
        devices[id] = theirs
        continue
      }
      if let role = own.role, let theirRole = theirs.role {
        devices[id]?.role = min(role, theirRole)
      } else {
        devices[id]?.role = nil
      }
    }
    replicas.merge(other.replicas) { own, _ in own }
    for id in devices.keys { devices[id]?.replicaCount = 0 }
    for device in replicas.values { devices[device]?.replicaCount += 1 }
  }

  private mutating func joinClosures(of other: MembershipState) {
    let own = Set(checkpoints.keys)
    let theirs = Set(other.checkpoints.keys)
    for (hash, closure) in closures where other.closures[hash] == nil {
      closures[hash]?.checkpoints = closure.checkpoints.union(theirs.subtracting(own))
    }
    for (hash, closure) in other.closures where closures[hash] == nil {
      var closure = closure
      closure.checkpoints.formUnion(own.subtracting(theirs))
      closures[hash] = closure
    }
    checkpoints.merge(other.checkpoints) { own, _ in own }
    checkpointedNumbers.merge(other.checkpointedNumbers, uniquingKeysWith: max)
  }
}
