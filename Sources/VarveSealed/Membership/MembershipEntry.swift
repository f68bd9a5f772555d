package import VarveCore

/// A signed operation on the membership of a space.
package struct MembershipEntry: Hashable, Sendable {
  package let space: SpaceID
  /// 0 for the first entry, then one more each.
  package let number: Int64
  /// The hash of the previous entry; zeros for the first.
  package let previous: ContentDigest
  /// The device, or the recovery key, that signed the entry.
  package let signer: DeviceID
  /// The time by the signer's clock, which decides nothing.
  package let milliseconds: Int64
  package let operation: MembershipOperation
  /// The bytes that are signed.
  let body: [UInt8]
  /// 64 bytes.
  let signature: [UInt8]
  /// The hash of the body, which names the entry.
  package let hash: ContentDigest

  private static let version: UInt8 = 1
  private static let signatureByteCount = 64
  /// The bytes of the shortest entry.
  static let leastByteCount = 1 + 98 + 64

  /// What an entry says before its operation.
  package struct Place: Sendable {
    package let space: SpaceID
    package let number: Int64
    package let previous: ContentDigest

    package init(space: SpaceID, number: Int64, previous: ContentDigest) {
      self.space = space
      self.number = number
      self.previous = previous
    }
  }

  /// Signs an operation. Whether it is valid there is decided by the log.
  package init(
    _ operation: MembershipOperation,
    at place: Place,
    milliseconds: Int64,
    signedBy signer: Signer
  ) throws {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.byte(operation.kind.rawValue)
    writer.space(place.space)
    writer.number64(place.number)
    writer.digest(place.previous)
    writer.digest(signer.id.digest)
    writer.number64(milliseconds)
    operation.write(to: &writer)
    try self.init(
      body: writer.bytes,
      signature: signer.sign(.membershipSignature, writer.bytes),
      depth: 0
    )
  }

  /// Reads an entry. Nothing of it is verified yet.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a membership entry") { reader in
      try MembershipEntry(&reader, depth: 0)
    }
  }

  init(_ reader: inout ByteReader, depth: Int) throws {
    let body = Array(try reader.counted())
    try self.init(body: body, signature: reader.bytes(Self.signatureByteCount), depth: depth)
  }

  private init(body: [UInt8], signature: [UInt8], depth: Int) throws {
    self = try StrictReading.read(body, "a membership entry", limit: Self.limit(of: body)) {
      reader in
      let version = try reader.byte()
      guard version == Self.version else {
        throw StrictReading.newer("a membership entry has version \(version)")
      }
      let byte = try reader.byte()
      guard let kind = MembershipOperation.Kind(rawValue: byte) else {
        throw StrictReading.newer("a membership entry has kind \(byte)")
      }
      return MembershipEntry(
        space: try reader.space(),
        number: try reader.number64(),
        previous: try reader.digest(),
        signer: try reader.deviceID(),
        milliseconds: try reader.number64(),
        operation: try MembershipOperation(kind, &reader, depth: depth),
        body: body,
        signature: signature,
        hash: .sha256(Domain.membershipEntry.bytes, body)
      )
    }
  }

  private init(
    space: SpaceID,
    number: Int64,
    previous: ContentDigest,
    signer: DeviceID,
    milliseconds: Int64,
    operation: MembershipOperation,
    body: [UInt8],
    signature: [UInt8],
    hash: ContentDigest
  ) {
    self.space = space
    self.number = number
    self.previous = previous
    self.signer = signer
    self.milliseconds = milliseconds
    self.operation = operation
    self.body = body
    self.signature = signature
    self.hash = hash
  }

  /// The limit of a body, which its second byte, the kind, decides.
  private static func limit(of body: [UInt8]) -> Int {
    body.dropFirst().first == MembershipOperation.Kind.join.rawValue
      ? SealedLimits.joinByteCount : SealedLimits.bodyByteCount
  }

  /// The bytes of the entry: the body behind its length, and the signature.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: body.count + 70)
    writer.counted(body)
    writer.raw(signature)
    return writer.bytes
  }

  /// The number of entries that a log has more with this one: those of a joined branch, too.
  var entryCount: Int {
    guard case .join(let branch) = operation else { return 1 }
    return branch.entries.reduce(1) { $0 + $1.entryCount }
  }

  /// The name of the entry, for errors.
  var name: String { "membership entry \(number) (\(hash))" }

  /// Returns whether the signature is by these keys, which must be the signer's.
  func isSigned(by keys: PublicKeys) -> Bool {
    keys.id == signer && keys.verifies(signature, of: .membershipSignature, body)
  }
}
