/// What a log keeps of a sealed space beside the commits, in an open transaction: the membership log,
/// signed heads, and letters for others.
package protocol SealedDesk: AnyObject {
  /// The id of the space.
  var space: SpaceID { get throws }

  /// Takes the id of a space. The log has no commits yet.
  func adopt(_ space: SpaceID) throws

  /// What the store is in the sealed space; nil for a store of an open one.
  var kind: SealedStoreKind? { get throws }

  /// Says what the store is from now on. Builds and programs without a seal refuse it from then on.
  func setKind(_ kind: SealedStoreKind) throws

  /// Whether the log has no commits.
  var isEmpty: Bool { get throws }

  /// The replicas that write here or wrote here, the present one among them.
  var replicas: Set<ReplicaID> { get throws }

  /// The entries of the membership log; empty if the space is not sealed.
  var entries: [[UInt8]] { get throws }

  /// Adds entries that follow the last one.
  func add(_ entries: [[UInt8]]) throws

  /// Replaces the membership log by one that joins it with another branch.
  func replace(with entries: [[UInt8]]) throws

  /// Whether the membership log is authoritative here.
  var isHome: Bool { get throws }

  /// Makes the membership log authoritative here, or ends that.
  func setHome(_ isHome: Bool) throws

  /// The signed heads.
  var signatures: [[UInt8]] { get throws }

  /// Adds a signed head. It replaces one of the same chain below it.
  func add(_ signature: SealedSignature) throws

  /// Signs what was written here and is not signed yet.
  func signOwnCommits() throws

  /// The newest commits that are accepted of some replicas.
  func acceptedHeads(of replicas: Set<ReplicaID>) throws -> [CommitID]

  /// The letters of a kind, by their ids, in order of arrival.
  func letters(_ kind: SealedLetterKind) throws -> [(id: [UInt8], content: [UInt8])]

  /// Keeps a letter; one of the same kind and id is replaced.
  func keep(_ kind: SealedLetterKind, id: [UInt8], _ content: [UInt8]) throws

  /// Removes a letter, if it is there.
  func remove(_ kind: SealedLetterKind, id: [UInt8]) throws

  /// Returns whether a block is here, and not as a purge leaves it.
  func lacks(_ block: PurgedBlock) throws -> Bool

  /// Returns the stored bytes of a block, if they are what a purge leaves of it.
  func storedBytes(of block: PurgedBlock) throws -> [UInt8]?

  /// Replaces a block by what a purge leaves of it, if the block is here.
  ///
  /// - Parameter stored: the bytes, whose digest is that of the block.
  /// - Returns: false, and nothing changes, if this device sees that they are not the rest of what it has.
  func replace(_ block: PurgedBlock, by stored: [UInt8]) throws -> Bool

  /// Makes the bytes that were replaced unreadable in the file, once this transaction has ended.
  func destroyReplacedBytes() throws

  /// Returns blocks that have cells which redactions name, sealed anew. A value in chunks goes with them.
  ///
  /// - Parameters:
  ///   - redactions: the cells for which a block is sealed anew.
  ///   - others: further cells that it loses then.
  ///   - byteCount: the size after which no further block is sealed.
  func resealed(
    without redactions: [Redaction],
    and others: [Redaction],
    atMost byteCount: Int
  ) throws -> [ResealedBlock]

  /// Returns the cells that a compaction up to a time folds, and its horizon.
  func foldable(upTo time: HybridTime) throws -> (redactions: [Redaction], horizon: Horizon)

  /// Returns those of some commits that have none of the others above them in their chains.
  func heads(among commits: [CommitID]) throws -> [CommitID]

  /// Judges all commits again, and folds what counts now.
  func settle() throws
}

/// What a store is in a sealed space.
package enum SealedStoreKind: Int64, Sendable {
  /// The store of a device that has keys, or waits for its admission.
  case member = 1
  /// A relay's, which has no keys and folds nothing.
  case relay = 2
}

/// What a letter is.
package enum SealedLetterKind: Int64, Sendable, CaseIterable {
  /// The request of a new device.
  case request = 1
  /// An admin's confirmation for a new device.
  case confirmation = 2
  /// A change of the membership that this device will propose to the home.
  case intent = 3
}

/// An exchange of the membership and what belongs to it with another log. In every round each side passes
/// one message to the other, until neither message of a round brings anything new.
package protocol SealedCorrespondence: Sendable {
  /// Returns the message of the next round.
  mutating func message(_ desk: any SealedDesk) throws -> [UInt8]

  /// Takes the other side's message of a round.
  mutating func take(_ message: [UInt8], _ desk: any SealedDesk) throws

  /// Returns the request of the next round to a space that keeps nothing between requests: the message,
  /// and what both sides have.
  mutating func request(_ desk: any SealedDesk) throws -> [UInt8]

  /// Returns the membership log, signed heads and letters of this side, and the entries that it asks the
  /// home to add, for sides that it never meets.
  ///
  /// - Parameters:
  ///   - former: what it published the last time, if that is known.
  ///   - mayWrite: whether it may sign what was written here. Otherwise the desk is only read.
  mutating func publication(
    after former: [UInt8]?,
    mayWrite: Bool,
    _ desk: any SealedDesk
  ) throws -> [UInt8]

  /// Takes what another side published.
  mutating func take(publication: [UInt8], _ desk: any SealedDesk) throws

  /// Whether this side belongs to the space, as the last publication that was made or taken showed.
  var belongsToSpace: Bool { get }

  /// Whether neither message of the last round brought anything new.
  var hasEnded: Bool { get }

  /// How much has passed in either direction. An exchange in which it grows goes on.
  var progress: Int { get }

  /// Whether both sides belong to the space, so that commits may follow.
  var mayExchangeCommits: Bool { get }
}
