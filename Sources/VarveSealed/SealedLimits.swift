/// The greatest sizes and counts of sealed spaces. They are part of the format: Documentation/Security.md,
/// "Limits".
package enum SealedLimits {
  /// The bytes of a membership entry's body.
  package static let bodyByteCount = 1 << 20
  /// The bytes of the body of an entry that joins two branches.
  package static let joinByteCount = 16 << 20
  /// The entries of a log, with those of branches that joins carry.
  package static let entryCount = 65_536
  /// The bytes of a log.
  package static let logByteCount = 64 << 20
  /// The joins that may stand inside one another.
  package static let joinDepth = 4
  /// The devices that are not removed.
  package static let memberCount = 1_024
  /// The devices that a space ever had.
  package static let deviceCount = 4_096
  /// The replicas that are bound to one device.
  package static let replicaCount = 1_024
  /// The heads that one operation names.
  package static let headCount = 16_384
  /// The blocks that one redaction names.
  package static let redactedBlockCount = 4_096
  /// The sealed bytes of a redaction.
  package static let redactionByteCount = 512 << 10
  /// The commits that one commit voids.
  package static let voidedCommitCount = 4_096
  /// The framed bytes of an author and a message.
  package static let authorByteCount = 256 << 10
  /// The framed bytes of a block. With salt and tag it fits a record of the protocol.
  package static let blockByteCount = 8 << 20
  /// The bytes of a secret that a key store keeps.
  package static let secretByteCount = 64 << 10
}
