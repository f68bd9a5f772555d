package import VarveCore

/// The commits, keys and ordinals that a redaction of a sealed space destroys. Only members can read
/// them.
package enum SealedRedaction {
  /// The greatest length of the sealed bytes.
  static var byteCountLimit: Int {
    SealedContent.saltByteCount + SealedLimits.redactionByteCount
      + AuthenticatedEncryption.tagByteCount
  }

  /// Seals redactions, encoded as in section 3 of a block.
  ///
  /// - Parameters:
  ///   - number: the number of the entry that will carry them.
  ///   - previous: the hash of the entry before it.
  package static func seal(
    _ redactions: [UInt8],
    number: Int64,
    previous: ContentDigest,
    under key: EpochKey,
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    try content(key.space, number, previous).seal(redactions, under: key, using: &random)
  }

  /// Opens the redactions of an entry.
  ///
  /// - Throws: `VarveError` with code `damaged`.
  package static func open(_ entry: MembershipEntry, under key: EpochKey) throws -> [UInt8] {
    guard case .redact(_, let sealed) = entry.operation else {
      throw StrictReading.damaged(entry.name, "it has no redactions")
    }
    return try content(entry.space, entry.number, entry.previous).open(sealed, under: key)
  }

  private static func content(
    _ space: SpaceID,
    _ number: Int64,
    _ previous: ContentDigest
  ) -> SealedContent {
    var writer = ByteWriter()
    writer.space(space)
    writer.number64(number)
    writer.digest(previous)
    return SealedContent(
      domain: .sealedRedaction,
      fields: writer.bytes,
      name: "the redaction of membership entry \(number)",
      limit: SealedLimits.redactionByteCount
    )
  }
}
