import VarveCore
public import VarveEntities

extension Store {
  /// Recovers a space that nobody can administer any more, with the recovery key: this device becomes an
  /// admin, and the membership is ordered here from now on.
  ///
  /// Use it if no admin is left, if the store that ordered the membership is lost, or if this store was
  /// restored from an older copy and no other store has the newer entries. Those entries are lost: a device
  /// that they removed is a member again, until it is removed anew. A new epoch begins. If the former home turns up later, it gives way; if it has entries of its own, the membership
  /// has forked, and ``joinBranch(of:recoveryKey:)`` joins it.
  ///
  /// - Parameter recoveryKey: the recovery key of the space, as ``sealSpace()`` printed it.
  /// - Throws: `VarveError`: `invalidArgument` if the key has a mistake; `wrongKey` for the key of another
  ///   space; `forbidden` if this device is no member of a space, or was removed; `newerFormat` if the
  ///   store was opened without ``Store/Configuration/seal``; `busy`, `inputOutput`.
  public func recoverSpace(recoveryKey: String) async throws {
    let (sealing, keeper) = try member("recover a space")
    let recovery = try RecoveryKey(printed: recoveryKey).signer
    let log = try await sharedLog().atDesk { desk in
      guard let view = try sealing.memberView(at: desk) else { throw Self.belongsToNone }
      var log = view.log
      guard recovery.id == log.state.recovery.id else { throw Self.wrongRecoveryKey }
      guard let role = log.state.role(of: keeper.device.id) else { throw Self.wasRemoved }
      let milliseconds = sealing.milliseconds()
      if role != .admin { try log.makeAdmin(keeper.device.id, milliseconds, recovery) }
      // The former home gives way to an entry of the recovery key, so there is always one.
      try log.beginEpoch(milliseconds, recovery)
      try desk.add(log.entries.dropFirst(view.log.entries.count).map(\.encoded))
      try desk.setHome(true)
      try desk.settle()
      return log
    }
    // Newer entries that this device had seen are lost.
    try keeper.keep(MembershipMemory(log))
  }

  private static var wasRemoved: VarveError {
    VarveError(
      .forbidden,
      "this device was removed from the space",
      at: "space",
      remedy: "Recover the space on a device that is a member of it."
    )
  }
}

extension MembershipState {
  /// Whether a device is an admin.
  var hasAdmin: Bool { members.contains { role(of: $0) == .admin } }
}

extension MembershipLog {
  /// Makes a member an admin by the recovery key.
  mutating func makeAdmin(_ device: DeviceID, _ milliseconds: Int64, _ recovery: Signer) throws {
    try append(
      .role(device, .admin, accepted: []),
      milliseconds: milliseconds,
      signedBy: recovery
    )
  }

  /// Begins the next epoch by the recovery key.
  mutating func beginEpoch(_ milliseconds: Int64, _ recovery: Signer) throws {
    let (epoch, _) = try nextEpoch(with: EpochKeyring(opening: self, with: recovery))
    try append(epoch, milliseconds: milliseconds, signedBy: recovery)
  }
}
