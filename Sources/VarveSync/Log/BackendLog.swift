package import VarveCore

/// A backend's log, as a synchronisation uses it.
package struct BackendLog: SyncLog {
  /// Runs an addition of the given commits, and notifies the observers.
  package typealias Adding =
    @Sendable ([CommitID], () async throws -> AppendReport) async throws -> AppendReport

  private let backend: any Backend
  private let adding: Adding

  package init(
    _ backend: any Backend,
    adding: @escaping Adding = { _, add in try await add() }
  ) {
    self.backend = backend
    self.adding = adding
  }

  package func replica() async throws -> ReplicaID { try await backend.replica() }

  package func frontier() async throws -> Frontier { try await backend.frontier() }

  package func summits() async throws -> [CommitID] { try await backend.summits() }

  package func seen(by ids: [CommitID]) async throws -> Frontier { try await backend.seen(by: ids) }

  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    try await backend.held(among: ids)
  }

  package func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    try await backend.predecessors(of: id, at: sequences)
  }

  package func count(beyond frontier: Frontier) async throws -> Int {
    try await backend.commitCount(beyond: frontier)
  }

  package func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await backend.items(
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
    try await backend.items(
      of: range,
      from: sequence,
      atMost: byteCount,
      wholeUpTo: wholeByteCount
    )
  }

  package func outlineHorizon() async throws -> Horizon? { try await backend.outlineHorizon() }

  package func takesOutlines() async throws -> Bool { try await backend.takesOutlines() }

  package func expectOutlines(of horizon: Horizon) async throws {
    try await backend.expectOutlines(of: horizon)
  }

  package func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    try await backend.awaited(from: place, atMost: count)
  }

  package func blocks(
    of id: CommitID,
    from index: Int,
    atMost byteCount: Int
  ) async throws -> [Block] {
    try await backend.blocks(of: id, from: index, atMost: byteCount)
  }

  package func purged() async throws -> [CommitID] { try await backend.purgedCommits() }

  package func append(_ commits: [Commit]) async throws -> AppendReport {
    try await adding(commits.map(\.id)) { try await backend.append(commits) }
  }

  package func append(
    _ id: CommitID,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    try await adding([id]) { try await backend.append(parts: next) }
  }

  package func flush() async throws { try await backend.flush() }
}
