/// A log that implements some requirements itself and forwards the rest to another log. A type that
/// only observes, limits or interrupts additions implements those alone.
package protocol CommitLogDecorator: CommitLog {
  /// The log to which everything else is forwarded.
  var base: any CommitLog { get }
}

extension CommitLogDecorator {
  package var isEncrypted: Bool { base.isEncrypted }

  package var sealing: (any SpaceSealing)? { base.sealing }

  package func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    try await base.atDesk(body)
  }

  package func readingDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    try await base.readingDesk(body)
  }

  package func standings() async throws -> [CommitID: CommitStanding] {
    try await base.standings()
  }

  package func frontier() async throws -> Frontier { try await base.frontier() }

  package func chains() async throws -> [ChainSummary] { try await base.chains() }

  package func summits() async throws -> [CommitID] { try await base.summits() }

  package func seen(by ids: [CommitID]) async throws -> Frontier { try await base.seen(by: ids) }

  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    try await base.held(among: ids)
  }

  package func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    try await base.predecessors(of: id, at: sequences)
  }

  package func commitCount(beyond frontier: Frontier) async throws -> Int {
    try await base.commitCount(beyond: frontier)
  }

  package func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit] {
    try await base.commits(beyond: frontier, atMost: byteCount)
  }

  package func items(
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
    )
  }

  package func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64) {
    try await base.items(
      of: range,
      from: sequence,
      atMost: byteCount,
      wholeUpTo: wholeByteCount
    )
  }

  package func blocks(
    of id: CommitID,
    from index: Int,
    atMost byteCount: Int
  ) async throws -> [Block] {
    try await base.blocks(of: id, from: index, atMost: byteCount)
  }

  package func forEachCommitPart(_ body: (CommitPart) async throws -> Void) async throws {
    try await base.forEachCommitPart(body)
  }

  package func purgedCommits() async throws -> [CommitID] { try await base.purgedCommits() }

  package func withheldCommits() async throws -> [Commit] { try await base.withheldCommits() }

  package func outlineHorizon() async throws -> Horizon? { try await base.outlineHorizon() }

  package func takesOutlines() async throws -> Bool { try await base.takesOutlines() }

  package func expectOutlines(of horizon: Horizon) async throws {
    try await base.expectOutlines(of: horizon)
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    try await base.awaited(from: place, atMost: count)
  }

  package func space() async throws -> SpaceID { try await base.space() }

  package func end() async throws -> HomePosition { try await base.end() }

  package func arrivals(
    after position: HomePosition,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: HomePosition)? {
    try await base.arrivals(after: position, atMost: byteCount, wholeUpTo: wholeByteCount)
  }

  package func boundSpace(at address: String) async throws -> SpaceID? {
    try await base.boundSpace(at: address)
  }

  package func bind(_ space: SpaceID, at address: String, isAdmin: Bool?) async throws {
    try await base.bind(space, at: address, isAdmin: isAdmin)
  }

  package func replica() async throws -> ReplicaID { try await base.replica() }

  package func leave(_ replica: ReplicaID) async throws -> ReplicaID? {
    try await base.leave(replica)
  }

  package func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    try await base.append(commits, outline: outline)
  }

  package func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    try await base.append(outline: outline, parts: next)
  }

  package func flush() async throws { try await base.flush() }

  package func changeProbe() throws -> (any ChangeProbe)? { try base.changeProbe() }
}
