package import VarveCore

/// The epoch keys that a device reads from a membership log.
package struct EpochKeyring: Sendable {
  private var keys: [ContentDigest: EpochKey] = [:]
  /// Why the keys of some epochs cannot be read.
  private var failures: [ContentDigest: VarveError] = [:]

  /// A keyring without keys, for a space without epochs.
  package init() {}

  /// Opens all keys that are sealed to a device, and through them the keys of earlier epochs.
  package init(opening log: MembershipLog, with device: Signer) throws {
    var epochs: [ContentDigest: NewEpoch] = [:]
    var found: [Sealed] = []
    try log.replay { entry, state in
      switch entry.operation {
      case .epoch(let epoch):
        epochs[epoch.commitment] = epoch
        if let own = epoch.recipients.first(where: { $0.id == device.id }) {
          found.append(
            Sealed(key: own.key, number: epoch.number, commitment: epoch.commitment)
          )
        }
      case .add(let member) where member.keys.id == device.id:
        if let key = member.epochKey, let commitment = state.epochInForce {
          found.append(Sealed(key: key, number: state.epochNumber, commitment: commitment))
        }
      default: break
      }
    }
    // The newest key opens all before it, so most others need no agreement of keys.
    for sealed in found.reversed() where keys[sealed.commitment] == nil {
      open(sealed, with: device, space: log.state.space, epochs)
    }
  }

  private struct Sealed {
    let key: SealedEpochKey
    let number: Int64
    let commitment: ContentDigest
  }

  private mutating func open(
    _ sealed: Sealed,
    with device: Signer,
    space: SpaceID,
    _ epochs: [ContentDigest: NewEpoch]
  ) {
    let opened = attempt(sealed.commitment) {
      try sealed.key.opened(
        by: device,
        space: space,
        number: sealed.number,
        commitment: sealed.commitment
      )
    }
    var pending = opened.map { [$0] } ?? []
    while let key = pending.popLast() {
      for earlier in epochs[key.commitment]?.earlier ?? [] where keys[earlier.commitment] == nil {
        guard let number = epochs[earlier.commitment]?.number else { continue }
        let opened = attempt(earlier.commitment) { try earlier.opened(under: key, number: number) }
        if let opened { pending.append(opened) }
      }
    }
  }

  /// Keeps a key, or why it cannot be read. One epoch that an admin sealed wrongly takes nothing from
  /// the others.
  private mutating func attempt(
    _ commitment: ContentDigest,
    _ open: () throws -> EpochKey
  ) -> EpochKey? {
    do {
      let key = try open()
      keys[commitment] = key
      failures[commitment] = nil
      return key
    } catch {
      failures[commitment] = error as? VarveError
      return nil
    }
  }

  /// Adds a key that this device made.
  package mutating func add(_ key: EpochKey) { keys[key.commitment] = key }

  /// Returns the key of an epoch.
  ///
  /// - Throws: `VarveError` with code `damaged` if the key was sealed wrongly, `notFound` if it was
  ///   not sealed to this device.
  package func key(for commitment: ContentDigest) throws -> EpochKey {
    if let key = keys[commitment] { return key }
    throw failures[commitment]
      ?? VarveError(
        .notFound,
        "this device has no key of the epoch",
        at: "epoch with the commitment \(commitment)",
        remedy: "Let an admin begin a new epoch, and fetch the membership anew."
      )
  }

  /// The number of keys.
  package var count: Int { keys.count }
}

extension EpochKeyring: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of keys.
  package var description: String { "\(count) epoch keys" }

  /// The number of keys.
  package var debugDescription: String { description }

  /// The number of keys.
  package var customMirror: Mirror {
    Mirror(self, children: ["count": count], displayStyle: .struct)
  }
}
