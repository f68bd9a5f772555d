package import VarveCore

/// The extension fields of a sealed commit's header: its epoch with author and message, the membership
/// that its author saw, and the commits that it voids.
package struct SealedCommitFields: Sendable, Hashable {
  /// The number of the epoch; nil in an open space.
  package let epoch: Int64?
  /// Author and message, sealed; empty in an open space.
  package let sealedAuthor: [UInt8]
  /// The head of the membership log that the author saw; nil if the commit names none.
  package let membershipHead: ContentDigest?
  /// The commits that this one voids, in rising order.
  package let voided: [CommitID]

  private static let scheme: UInt8 = 1

  /// The kind of the commits that void others, in their headers.
  package static let voidingKind: UInt8 = 2

  /// The numbers of the extension fields.
  package enum Number {
    package static let epoch: UInt64 = 1
    package static let membershipHead: UInt64 = 6
    package static let voided: UInt64 = 8
  }

  package init(
    epoch: Int64?,
    sealedAuthor: [UInt8],
    membershipHead: ContentDigest?,
    voided: [CommitID] = []
  ) {
    self.epoch = epoch
    self.sealedAuthor = sealedAuthor
    self.membershipHead = membershipHead
    self.voided = voided
  }

  /// The extension fields, in order of number.
  package var extensions: [CommitHeader.Extension] {
    var fields: [CommitHeader.Extension] = []
    if let epoch {
      var writer = ByteWriter()
      writer.byte(Self.scheme)
      writer.number64(epoch)
      writer.raw(sealedAuthor)
      fields.append(.init(number: Number.epoch, bytes: writer.bytes))
    }
    if let membershipHead {
      fields.append(.init(number: Number.membershipHead, bytes: membershipHead.bytes))
    }
    if !voided.isEmpty {
      var writer = ByteWriter()
      writer.heads(voided)
      fields.append(.init(number: Number.voided, bytes: writer.bytes))
    }
    return fields
  }

  /// Reads the fields among a header's extensions; others are left to their readers.
  ///
  /// - Parameter kind: the commit's kind, the second byte of its header.
  /// - Throws: `VarveError` with code `damaged`, or `newerFormat` for an unknown scheme.
  package init(_ extensions: [CommitHeader.Extension], kind: UInt8) throws {
    func bytes(_ number: UInt64) throws -> [UInt8]? {
      let found = extensions.filter { $0.number == number }
      guard found.count <= 1 else {
        throw StrictReading.damaged("field \(number) of a commit", "there are two of it")
      }
      return found.first?.bytes
    }
    let sealed = try bytes(Number.epoch).map(Self.readSealed)
    self.init(
      epoch: sealed?.epoch,
      sealedAuthor: sealed?.author ?? [],
      membershipHead: try bytes(Number.membershipHead).map { bytes in
        try StrictReading.read(bytes, "the membership of a commit") { try $0.digest() }
      },
      voided: try bytes(Number.voided).map { bytes in
        try StrictReading.read(bytes, "the list of void commits") {
          try $0.heads(limit: SealedLimits.voidedCommitCount, of: "void commits")
        }
      } ?? []
    )
    guard voided.isEmpty == (kind != Self.voidingKind) else {
      throw StrictReading.damaged("the list of void commits", "the commit is of another kind")
    }
  }

  private static func readSealed(_ bytes: [UInt8]) throws -> (epoch: Int64, author: [UInt8]) {
    try StrictReading.read(bytes, "the epoch of a commit") { reader in
      let scheme = try reader.byte()
      guard scheme == self.scheme else {
        throw StrictReading.newer("a commit is sealed by scheme \(scheme)")
      }
      let epoch = try reader.number64()
      return (epoch, try reader.bytes(reader.remaining))
    }
  }
}
