package import VarveCore

/// The newest membership that a device has seen. It is kept with the device's keys, not with the store,
/// so that a store or a home that goes back to an earlier state undoes no removal.
package struct MembershipMemory: Hashable, Sendable {
  package let space: SpaceID
  package let genesis: ContentDigest
  /// The number of the newest entry.
  package private(set) var number: Int64
  /// Its hash.
  package private(set) var head: ContentDigest

  /// Begins with a log that the device trusts: its own, or one that an invitation confirmed.
  package init(_ log: MembershipLog) {
    space = log.state.space
    genesis = log.state.genesis
    number = Int64(log.entries.count) - 1
    head = log.head
  }

  /// Verifies that a log has everything that the device saw, and remembers its head.
  ///
  /// - Parameter own: the newest log that the device has, to tell an old log from a fork.
  /// - Throws: `VarveError` with code `damaged` for the log of another space, `missingDependencies`
  ///   for an older log, and `readOnly` for a fork, in which nothing is written.
  package mutating func follow(_ log: MembershipLog, own: MembershipLog? = nil) throws {
    guard log.state.space == space, log.state.genesis == genesis else {
      throw StrictReading.damaged("a membership log", "it is not that of space \(space)")
    }
    guard log.contains(head) else {
      if own?.contains(log.head) ?? false { throw olderLog(log) }
      throw Int64(log.entries.count) <= number ? shorterLog(log) : fork(log)
    }
    number = Int64(log.entries.count) - 1
    head = log.head
  }

  private func olderLog(_ log: MembershipLog) -> VarveError {
    VarveError(
      .missingDependencies,
      "the membership ends with entry \(log.entries.count - 1), and this device has seen \(number)",
      at: "membership of space \(space)",
      remedy: "Give the home the entries that it lacks."
    )
  }

  private func shorterLog(_ log: MembershipLog) -> VarveError {
    VarveError(
      .readOnly,
      "the membership ends with entry \(log.entries.count - 1), and this device has seen entry \(number): "
        + "this is an older copy, or another branch",
      at: "membership of space \(space)",
      remedy:
        "Synchronise with a store that has entry \(number). If none has it, recover the space with "
        + "the recovery key."
    )
  }

  private func fork(_ log: MembershipLog) -> VarveError {
    VarveError(
      .readOnly,
      "the membership has forked: it lacks entry \(number) (\(head)), which this device has seen",
      at: "membership of space \(space)",
      remedy: "Join both branches with the recovery key."
    )
  }
}

extension MembershipMemory {
  private static let version: UInt8 = 1

  /// The form in which a ``KeyStore`` keeps it.
  package var secret: Secret {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.space(space)
    writer.digest(genesis)
    writer.number64(number)
    writer.digest(head)
    return Secret(copying: writer.bytes)
  }

  /// Reads what a ``KeyStore`` kept.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(_ secret: Secret) throws {
    let what = "the newest membership that this device has seen"
    self = try StrictReading.read(secret.withUnsafeBytes { Array($0) }, what) { reader in
      guard try reader.byte() == Self.version else { throw StrictReading.newer("\(what) is newer") }
      return MembershipMemory(
        space: try reader.space(),
        genesis: try reader.digest(),
        number: try reader.number64(),
        head: try reader.digest()
      )
    }
  }

  private init(space: SpaceID, genesis: ContentDigest, number: Int64, head: ContentDigest) {
    self.space = space
    self.genesis = genesis
    self.number = number
    self.head = head
  }
}
