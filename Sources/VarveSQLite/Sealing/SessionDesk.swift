import VarveCore

/// What a store keeps of a sealed space beside the commits, in a transaction.
final class SessionDesk: SealedDesk {
  private let session: Session
  private var log: LogTables { session.log }

  init(_ session: Session) { self.session = session }

  /// Records a change for the log's home, if it has one.
  private func note(_ record: SealedRecord) { log.news?.records.append(record) }

  /// A space at a home has the id that it has there.
  var space: SpaceID {
    get throws { try session.homeSpace() ?? session.chooseSpace().space }
  }

  func adopt(_ space: SpaceID) throws {
    guard try session.homeSpace() == nil else { return try requireHomeSpace(space) }
    try session.connection.setMeta("space", space)
    try session.connection.setMeta("incarnation", Int64(bitPattern: SpaceID.random().low))
  }

  private func requireHomeSpace(_ space: SpaceID) throws {
    guard try session.homeSpace() != space else { return }
    throw VarveError(
      .forbidden,
      "the home keeps the relay of another space",
      at: "space \(space)",
      remedy: "Make a relay of this space: varve space create URL --relay STORE."
    )
  }

  /// A home keeps relays only.
  var kind: SealedStoreKind? {
    get throws { try session.homeSpace() == nil ? log.storedKind() : .relay }
  }

  func setKind(_ kind: SealedStoreKind) throws { try log.setKind(kind) }

  var isEmpty: Bool { log.state.lastCommit == nil }

  var replicas: Set<ReplicaID> {
    get throws { try log.signableReplicas().union([log.state.own.replica]) }
  }

  var entries: [[UInt8]] { get throws { try log.entries() } }

  func add(_ entries: [[UInt8]]) throws {
    try log.add(entries: entries)
    for entry in entries { note(.entry(entry)) }
  }

  func replace(with entries: [[UInt8]]) throws {
    let common = zip(try log.entries(), entries).prefix { $0 == $1 }.count
    try log.replace(entries: entries)
    note(.cut(entryCount: Int64(common)))
    for entry in entries.dropFirst(common) { note(.entry(entry)) }
  }

  var isHome: Bool { get throws { try log.isMembershipHome() } }

  func setHome(_ isHome: Bool) throws {
    guard try log.isMembershipHome() != isHome else { return }
    try log.setMembershipHome(isHome)
    // Only a member's store ceases to be the home, and none of these is at a home.
    if isHome { note(.home) }
  }

  var signatures: [[UInt8]] { get throws { try log.signatures() } }

  func add(_ signature: SealedSignature) throws {
    try log.add(signature)
    note(.signature(signature.encoded))
  }

  func signOwnCommits() throws { try log.signOwnCommits() }

  func acceptedHeads(of replicas: Set<ReplicaID>) throws -> [CommitID] {
    // A relay judges nothing. What it has is signed, or counts nowhere.
    let judges = try log.sealedView?.readsContent ?? true
    var heads: [CommitID] = []
    for chain in log.state.chains.values where replicas.contains(chain.replica) {
      var sequence = chain.head?.sequence ?? 0
      while sequence > chain.forkSequence {
        guard let n = try log.commitNumber(chainID: chain.id, sequence: sequence) else { break }
        if try !judges || (!log.isWithheld(n) && !log.isVoid(n)) {
          heads.append(try log.commit(ofBlock: n).summary.id)
          break
        }
        sequence -= 1
      }
    }
    return heads.sorted()
  }

  func letters(_ kind: SealedLetterKind) throws -> [(id: [UInt8], content: [UInt8])] {
    try log.letters(kind)
  }

  func keep(_ kind: SealedLetterKind, id: [UInt8], _ content: [UInt8]) throws {
    // Whoever sends a letter sends it each time. A home keeps all that is recorded, so it is once.
    if log.news != nil, try letters(kind).contains(where: { $0 == (id, content) }) { return }
    try log.keep(kind, id: id, content)
    note(.letter(kind, id: id, content: content))
  }

  func remove(_ kind: SealedLetterKind, id: [UInt8]) throws {
    guard try letters(kind).contains(where: { $0.id == id }) else { return }
    try log.remove(kind, id: id)
    note(.removal(kind, id: id))
  }

  func lacks(_ block: PurgedBlock) throws -> Bool { try log.lacks(block) }

  func storedBytes(of block: PurgedBlock) throws -> [UInt8]? {
    guard try !log.lacks(block), let b = try log.number(of: block.name) else { return nil }
    return try log.storedBlock(b).stored
  }

  func replace(_ block: PurgedBlock, by stored: [UInt8]) throws -> Bool {
    try session.replace(block, by: stored)
  }

  func destroyReplacedBytes() throws { try session.noteScrub() }

  func resealed(
    without redactions: [Redaction],
    and others: [Redaction],
    atMost byteCount: Int
  ) throws -> [ResealedBlock] {
    try session.resealed(without: redactions, and: others, atMost: byteCount)
  }

  func foldable(upTo time: HybridTime) throws -> (redactions: [Redaction], horizon: Horizon) {
    try session.foldable(upTo: time)
  }

  func heads(among commits: [CommitID]) throws -> [CommitID] {
    var heads: [Int64: CommitID] = [:]
    for commit in commits {
      guard let chain = try log.chainHolding(commit) else { continue }
      if heads[chain].map({ $0.sequence < commit.sequence }) ?? true { heads[chain] = commit }
    }
    return heads.values.sorted()
  }

  func settle() throws {
    var events = LifeEvents(firstRow: log.state.nextRow)
    try session.settle(&events)
  }
}
