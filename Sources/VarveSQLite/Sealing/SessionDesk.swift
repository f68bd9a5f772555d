import VarveCore

/// What a store keeps of a sealed space beside the commits, in a transaction.
final class SessionDesk: SealedDesk {
  private let session: Session
  private var log: LogTables { session.log }

  init(_ session: Session) { self.session = session }

  var space: SpaceID {
    get throws { try session.chooseSpace().space }
  }

  func adopt(_ space: SpaceID) throws {
    try session.connection.setMeta("space", space)
    try session.connection.setMeta("incarnation", Int64(bitPattern: SpaceID.random().low))
  }

  var kind: SealedStoreKind? { get throws { try log.storedKind() } }

  func setKind(_ kind: SealedStoreKind) throws { try log.setKind(kind) }

  var isEmpty: Bool { log.state.lastCommit == nil }

  var replicas: Set<ReplicaID> {
    get throws { try log.signableReplicas().union([log.state.own.replica]) }
  }

  var entries: [[UInt8]] { get throws { try log.entries() } }

  func add(_ entries: [[UInt8]]) throws { try log.add(entries: entries) }

  func replace(with entries: [[UInt8]]) throws { try log.replace(entries: entries) }

  private static let homeKey = "sealed home"

  var isHome: Bool { get throws { try session.connection.metaInteger(Self.homeKey) == 1 } }

  func setHome(_ isHome: Bool) throws {
    try session.connection.setMeta(Self.homeKey, isHome ? 1 : 0)
  }

  var signatures: [[UInt8]] { get throws { try log.signatures() } }

  func add(_ signature: SealedSignature) throws { try log.add(signature) }

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
    try log.keep(kind, id: id, content)
  }

  func remove(_ kind: SealedLetterKind, id: [UInt8]) throws { try log.remove(kind, id: id) }

  func settle() throws {
    var events = LifeEvents(firstRow: log.state.nextRow)
    try session.settle(&events)
  }
}
