import VarveCore

extension MembershipState {
  /// Takes over what another branch ended: its removals and demotions.
  ///
  /// What it permitted does not stand. Otherwise a device that this branch removed could make another
  /// branch together with a relay, and come back by it. After this no epoch is in force: whoever was
  /// removed in either branch may have had the keys of the other.
  ///
  /// - Parameter accepted: the newest commits that count of the devices that only the other branch
  ///   added. They are not members after the join.
  /// - Throws: `VarveError` with code `damaged`; nothing changes then.
  mutating func join(
    _ other: MembershipState,
    accepted: [CommitID],
    by entry: MembershipEntry
  ) throws {
    let newcomers = Set(other.devices.keys).subtracting(devices.keys)
    guard
      accepted.allSatisfy({ head in
        replicas[head.replica] == nil
          && other.replicas[head.replica].map(newcomers.contains) ?? false
      })
    else { throw entry.invalid("an accepted head is not of a device that the branch added") }
    joinClosures(of: other)
    joinRoles(of: other)
    if !newcomers.isEmpty {
      closures[entry.hash] = Closure(
        devices: newcomers,
        replicas: Set(replicas.filter { newcomers.contains($0.value) }.keys),
        accepted: Dictionary(grouping: accepted, by: \.replica),
        checkpoints: []
      )
    }
    usedInvitations.formUnion(other.usedInvitations)
    commitments.formUnion(other.commitments)
    epochEnds.formUnion(other.epochEnds)
    epochNumber = max(epochNumber, other.epochNumber)
    epochInForce = nil
  }

  /// Takes over the closures of the other branch. What a closed device bound in the branch that did not
  /// close it is closed too.
  private mutating func joinClosures(of other: MembershipState) {
    for (hash, closure) in closures where other.closures[hash] == nil {
      closures[hash]?.replicas = closure.replicas.union(
        other.replicas.filter { closure.devices.contains($0.value) && replicas[$0.key] == nil }.keys
      )
    }
    for (hash, closure) in other.closures where closures[hash] == nil {
      var closure = closure
      closure.replicas.formUnion(
        replicas.filter { closure.devices.contains($0.value) && other.replicas[$0.key] == nil }.keys
      )
      closures[hash] = closure
    }
    checkpoints.merge(other.checkpoints) { own, _ in own }
    checkpointedNumbers.merge(other.checkpointedNumbers, uniquingKeysWith: max)
  }

  private mutating func joinRoles(of other: MembershipState) {
    for (id, theirs) in other.devices {
      if let own = devices[id]?.role, let role = theirs.role {
        devices[id]?.role = min(own, role)
      } else {
        devices[id] = theirs
        devices[id]?.role = nil
      }
    }
    replicas.merge(other.replicas) { own, _ in own }
    for id in devices.keys { devices[id]?.replicaCount = 0 }
    for device in replicas.values { devices[device]?.replicaCount += 1 }
  }
}
