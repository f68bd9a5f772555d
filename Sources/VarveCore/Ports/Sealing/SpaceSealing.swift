/// The cryptography of sealed spaces, as a store uses it. VarveSealed implements it.
///
/// A store without it refuses sealed commits as `newerFormat`, and cannot be opened if it has a
/// membership.
package protocol SpaceSealing: Sendable {
  /// Whether there are keys; a relay has none.
  var hasKeys: Bool { get }

  /// Returns what this device may read and write after the last entry of a membership log.
  ///
  /// - Parameters:
  ///   - last: the last entry, by which views that were made before are found.
  ///   - encoded: returns the whole log.
  /// - Throws: ``VarveError`` with code `damaged`, `forbidden` or `newerFormat` if the log is not valid.
  func view(endingWith last: [UInt8], _ encoded: () throws -> [UInt8]) throws -> any SealedView

  /// Reads a signed head.
  ///
  /// - Throws: ``VarveError`` with code `damaged` or `newerFormat`.
  func signature(encoded: [UInt8]) throws -> SealedSignature

  /// Returns the letter of a purge that this device proposes to the home of the membership.
  func intent(ofPurging redactions: [Redaction]) -> (id: [UInt8], content: [UInt8])

  /// Returns the letter of a compaction that this device proposes to the home of the membership.
  func intent(ofCompactingUpTo time: HybridTime) -> (id: [UInt8], content: [UInt8])

  /// Orders what this device has to add, if the membership is ordered here.
  func actAtHome(_ desk: any SealedDesk) throws

  /// Begins an exchange of the membership and what belongs to it with another log.
  func correspondence() -> any SealedCorrespondence

  /// Begins to publish what this side has, and to take what others published.
  func publishing() -> any SealedCorrespondence

  /// Replies to a request of a round, whose sender this side remembers nothing of.
  ///
  /// - Parameter mayBegin: whether the sender may give a relay its first membership.
  func reply(
    to request: [UInt8],
    mayBegin: Bool,
    _ desk: any SealedDesk
  ) throws -> [UInt8]
}

/// What a device may read and write after an entry of a membership log. It never changes.
package protocol SealedView: Sendable {
  /// The space.
  var space: SpaceID { get }

  /// Whether this device has keys. A relay has none: it keeps commits, and folds nothing.
  var readsContent: Bool { get }

  /// Whether this device may write to the space.
  var mayWrite: Bool { get }

  /// Whether this device may purge and compact.
  var mayPurge: Bool { get }

  /// Whether the membership log has room for purges and compactions. Half of it is kept for members.
  var hasRoomForPurges: Bool { get }

  /// The blocks that were purged, in rising order of their names, each as the last purge leaves it.
  var purgedBlocks: [PurgedBlock] { get }

  /// Returns whether some stored bytes of a block are what a purge left of it.
  func isLeft(_ digest: ContentDigest, of block: BlockName) -> Bool

  /// Returns the indices of the blocks of a commit that a purge replaces together, for each purge.
  func blocksPurgedTogether(in commit: CommitID) -> [[Int]]

  /// How far history was folded.
  var horizons: [Horizon] { get }

  /// Returns whether a purge or a compaction names cells of a property, as far as this device can read it.
  func redacts(_ key: PropertyKey) -> Bool

  /// Whether this device must write under another replica: what it writes under this one does not count
  /// since it was a reader.
  func hasEnded(_ replica: ReplicaID) -> Bool

  /// Returns the seal of a commit that this device writes.
  ///
  /// - Throws: ``VarveError`` with code `forbidden` if the device may not write, or `readOnly` if it
  ///   may not write now.
  func seal(replica: ReplicaID, sequence: Int64) throws -> any CommitSeal

  /// Returns the seal of a stored commit; nil if the commit is not sealed, or this device has no key.
  func seal(of header: CommitHeader) -> (any CommitSeal)?

  /// Returns a commit's signature, to be handed over with it; nil if this device may not sign for the
  /// replica.
  func signature(of commit: CommitID) throws -> SealedSignature?

  /// Returns the verdict of every commit (R29).
  func verdicts(
    of commits: [JudgedCommit],
    signatures: [[UInt8]]
  ) throws -> [CommitID: CommitStanding]
}

/// The seal of one commit, which seals and opens its parts.
package protocol CommitSeal: Sendable {
  /// Returns the extension fields of the commit's header, in order of number. Author and message are
  /// sealed in them.
  func fields(author: String, message: String) throws -> [CommitHeader.Extension]

  /// Returns the sealed form of a block's stored bytes.
  ///
  /// - Throws: ``VarveError`` with code `valueTooLarge`.
  func sealed(_ stored: [UInt8], index: Int) throws -> [UInt8]

  /// Returns the stored bytes of a block as they were before they were sealed.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  func opened(_ stored: [UInt8], index: Int) throws -> [UInt8]

  /// Returns author and message of a header that has them sealed.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  func opened(authorOf header: CommitHeader) throws -> (author: String, message: String)
}

/// A device's signature of the newest commit of a chain, which covers those below it.
package struct SealedSignature: Sendable, Hashable {
  /// The commit that is signed.
  package let commit: CommitID
  /// The signed head as it is stored and sent.
  package let encoded: [UInt8]

  package init(commit: CommitID, encoded: [UInt8]) {
    self.commit = commit
    self.encoded = encoded
  }
}
