package import VarveCore

/// An admin's statement that a block was encrypted anew without the cells that an operation of the
/// membership destroys. A relay, which reads nothing, replaces a block only with it.
///
/// That the new content is the rest of the old cannot be proved without the old content.
package struct PurgeProof: Hashable, Sendable {
  package let space: SpaceID
  package let signer: DeviceID
  /// The hash of the redact or compact entry.
  package let operation: ContentDigest
  package let block: BlockName
  /// The digest that the block's commit covers. It stays.
  package let oldDigest: ContentDigest
  /// The hash of the new stored bytes.
  package let newDigest: ContentDigest
  private let signature: [UInt8]

  private static let version: UInt8 = 1

  /// Signs that a block was replaced.
  ///
  /// - Parameters:
  ///   - block: the block's name.
  ///   - oldDigest: its digest, as its commit covers it.
  ///   - stored: its new stored bytes.
  ///   - operation: the hash of the entry that destroys cells of it.
  package init(
    replacing block: BlockName,
    oldDigest: ContentDigest,
    with stored: [UInt8],
    by operation: ContentDigest,
    space: SpaceID,
    signedBy signer: Signer
  ) throws {
    let unsigned = PurgeProof(
      space: space,
      signer: signer.id,
      operation: operation,
      block: block,
      oldDigest: oldDigest,
      newDigest: .sha256(stored),
      signature: []
    )
    self = PurgeProof(unsigned, signature: try signer.sign(.purgeProof, unsigned.message))
  }

  private init(
    space: SpaceID,
    signer: DeviceID,
    operation: ContentDigest,
    block: BlockName,
    oldDigest: ContentDigest,
    newDigest: ContentDigest,
    signature: [UInt8]
  ) {
    self.space = space
    self.signer = signer
    self.operation = operation
    self.block = block
    self.oldDigest = oldDigest
    self.newDigest = newDigest
    self.signature = signature
  }

  private init(_ proof: PurgeProof, signature: [UInt8]) {
    self.init(
      space: proof.space,
      signer: proof.signer,
      operation: proof.operation,
      block: proof.block,
      oldDigest: proof.oldDigest,
      newDigest: proof.newDigest,
      signature: signature
    )
  }

  /// Returns the same proof by another signer.
  func signed(by signer: Signer) throws -> PurgeProof {
    let unsigned = PurgeProof(
      space: space,
      signer: signer.id,
      operation: operation,
      block: block,
      oldDigest: oldDigest,
      newDigest: newDigest,
      signature: []
    )
    return PurgeProof(unsigned, signature: try signer.sign(.purgeProof, unsigned.message))
  }

  /// The proof as a store keeps it.
  var purge: SealedPurge {
    SealedPurge(block: block, oldDigest: oldDigest, newDigest: newDigest, encoded: encoded)
  }

  /// The bytes that are stored and sent.
  package var encoded: [UInt8] { message + signature }

  /// Reads a proof. Nothing is verified yet.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a proof of purging") { reader in
      let version = try reader.byte()
      guard version == Self.version else {
        throw StrictReading.newer("a proof of purging has version \(version)")
      }
      return PurgeProof(
        space: try reader.space(),
        signer: try reader.deviceID(),
        operation: try reader.digest(),
        block: BlockName(commit: try reader.commitID(), index: try reader.number()),
        oldDigest: try reader.digest(),
        newDigest: try reader.digest(),
        signature: try reader.bytes(64)
      )
    }
  }

  private var message: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.space(space)
    writer.digest(signer.digest)
    writer.digest(operation)
    writer.commitID(block.commit)
    writer.varint(block.index)
    writer.digest(oldDigest)
    writer.digest(newDigest)
    return writer.bytes
  }

  func isSigned(by keys: PublicKeys) -> Bool {
    keys.id == signer && keys.verifies(signature, of: .purgeProof, message)
  }
}
