package import VarveCore

extension MembershipLog {
  /// Begins the log of a new space.
  ///
  /// - Parameters:
  ///   - creator: the device that creates the space, its first admin.
  ///   - recovery: the public keys of the recovery key.
  package init(
    of space: SpaceID,
    mode: SpaceMode,
    creator: Signer,
    recovery: PublicKeys,
    milliseconds: Int64
  ) throws {
    try self.init(
      genesis: MembershipEntry(
        .genesis(mode: mode, creator: creator.publicKeys, recovery: recovery),
        at: .init(space: space, number: 0, previous: .zero),
        milliseconds: milliseconds,
        signedBy: creator
      )
    )
  }

  /// Signs an operation and adds it, as the home would.
  ///
  /// - Throws: `VarveError` with code `damaged` or `forbidden` if it is not valid here.
  @discardableResult
  package mutating func append(
    _ operation: MembershipOperation,
    milliseconds: Int64,
    signedBy signer: Signer
  ) throws -> MembershipEntry {
    let entry = try MembershipEntry(
      operation,
      at: nextPlace,
      milliseconds: milliseconds,
      signedBy: signer
    )
    try append(entry)
    return entry
  }

  /// Returns the operation that begins the next epoch under a new key.
  ///
  /// - Parameter keyring: the keys of a member, which seals the epochs before.
  package func nextEpoch(with keyring: EpochKeyring) throws -> (MembershipOperation, EpochKey) {
    let key = EpochKey.new(space: state.space, number: state.epochNumber + 1)
    let operation = MembershipOperation.epoch(
      NewEpoch(
        number: key.number,
        commitment: key.commitment,
        earlier: try state.epochEnds.sorted().map {
          try EarlierEpoch(sealing: keyring.key(for: $0), under: key)
        },
        recipients: try state.recipients.map {
          .init(id: $0.id, key: try SealedEpochKey(sealing: key, to: $0))
        }
      )
    )
    return (operation, key)
  }

  /// Returns the operation that adds a device, with the key of the epoch in force.
  package func adding(
    _ keys: PublicKeys,
    as role: MemberRole,
    invitation: [UInt8]? = nil,
    with keyring: EpochKeyring
  ) throws -> MembershipOperation {
    .add(
      NewMember(
        keys: keys,
        role: role,
        invitation: invitation,
        epochKey: try state.epochInForce.map {
          try SealedEpochKey(sealing: keyring.key(for: $0), to: keys)
        }
      )
    )
  }
}
