import VarveCore

/// A log that passes on other commits than it has.
struct LyingLog: CommitLogDecorator {
  let base: any CommitLog
  private let lie: @Sendable (Commit) -> Commit

  init(base: any CommitLog, _ lie: @escaping @Sendable (Commit) -> Commit) {
    self.base = base
    self.lie = lie
  }

  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await base.items(
      beyond: frontier,
      atMost: byteCount,
      wholeUpTo: wholeByteCount,
      outline: outline
    ).map { item in
      guard case .commit(let commit) = item else { return item }
      return .commit(lie(commit))
    }
  }
}

/// A log that passes on no signatures.
struct UnsignedLog: CommitLogDecorator {
  let base: any CommitLog

  func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    try await base.atDesk { try body(UnsignedDesk($0)) }
  }
}

private final class UnsignedDesk: SealedDesk {
  private let base: any SealedDesk

  init(_ base: any SealedDesk) { self.base = base }

  var space: SpaceID { get throws { try base.space } }
  var kind: SealedStoreKind? { get throws { try base.kind } }
  var isEmpty: Bool { get throws { try base.isEmpty } }
  var replicas: Set<ReplicaID> { get throws { try base.replicas } }
  var entries: [[UInt8]] { get throws { try base.entries } }
  var isHome: Bool { get throws { try base.isHome } }
  var signatures: [[UInt8]] { [] }

  func adopt(_ space: SpaceID) throws { try base.adopt(space) }
  func setKind(_ kind: SealedStoreKind) throws { try base.setKind(kind) }
  func add(_ entries: [[UInt8]]) throws { try base.add(entries) }
  func replace(with entries: [[UInt8]]) throws { try base.replace(with: entries) }
  func setHome(_ isHome: Bool) throws { try base.setHome(isHome) }
  func add(_ signature: SealedSignature) throws { try base.add(signature) }
  func signOwnCommits() throws { try base.signOwnCommits() }
  func acceptedHeads(of replicas: Set<ReplicaID>) throws -> [CommitID] {
    try base.acceptedHeads(of: replicas)
  }
  func letters(_ kind: SealedLetterKind) throws -> [(id: [UInt8], content: [UInt8])] {
    try base.letters(kind)
  }
  func keep(_ kind: SealedLetterKind, id: [UInt8], _ content: [UInt8]) throws {
    try base.keep(kind, id: id, content)
  }
  func remove(_ kind: SealedLetterKind, id: [UInt8]) throws { try base.remove(kind, id: id) }
  func settle() throws { try base.settle() }
  func lacks(_ block: PurgedBlock) throws -> Bool { try base.lacks(block) }
  func storedBytes(of block: PurgedBlock) throws -> [UInt8]? { try base.storedBytes(of: block) }
  func replace(_ block: PurgedBlock, by stored: [UInt8]) throws -> Bool {
    try base.replace(block, by: stored)
  }
  func destroyReplacedBytes() throws { try base.destroyReplacedBytes() }
  func resealed(
    without redactions: [Redaction],
    and others: [Redaction],
    atMost byteCount: Int
  ) throws -> [ResealedBlock] {
    try base.resealed(without: redactions, and: others, atMost: byteCount)
  }
  func foldable(upTo time: HybridTime) throws -> (redactions: [Redaction], horizon: Horizon) {
    try base.foldable(upTo: time)
  }
  func heads(among commits: [CommitID]) throws -> [CommitID] { try base.heads(among: commits) }
}
