import Synchronization
package import VarveCore

/// The backend that others are compared with: a list of commits, which is folded for every read.
///
/// It keeps everything in memory until it is closed. A folded state is cached until the log or the
/// set of withheld commits changes.
package final class ReferenceBackend: Backend {
  private struct StateKey: Hashable {
    let moment: Moment
    let commitCount: Int
    let withheldCount: Int
  }

  private struct Shared {
    var log: ReferenceLog
    var states: [StateKey: FoldedState] = [:]
    var isClosed = false
  }

  private let shared: Mutex<Shared>
  private let writing = FairLock()
  private let wallMilliseconds: @Sendable () -> Int64
  private let freshReplica: @Sendable () -> ReplicaID
  private let fault: ReferenceFault?

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - replica: the replica that writes here.
  ///   - wallMilliseconds: the local clock, in milliseconds since 1970.
  ///   - forgets: returns whether the redactions of a commit count.
  ///   - freshReplica: returns the replica under which to continue if the first was used elsewhere.
  ///   - fault: the planted fault, if any.
  package convenience init(
    replica: ReplicaID = .random(),
    wallMilliseconds: @escaping @Sendable () -> Int64 = SystemClock.millisecondsSince1970,
    forgetting forgets: @escaping @Sendable (CommitHeader) -> Bool = { _ in true },
    freshReplica: @escaping @Sendable () -> ReplicaID = { .random() },
    fault: ReferenceFault? = nil
  ) {
    self.init(
      ReferenceLog(replica: replica, forgetting: forgets),
      wallMilliseconds: wallMilliseconds,
      freshReplica: freshReplica,
      fault: fault
    )
  }

  private init(
    _ log: ReferenceLog,
    wallMilliseconds: @escaping @Sendable () -> Int64,
    freshReplica: @escaping @Sendable () -> ReplicaID,
    fault: ReferenceFault? = nil
  ) {
    self.fault = fault
    shared = Mutex(Shared(log: log))
    self.wallMilliseconds = wallMilliseconds
    self.freshReplica = freshReplica
  }

  /// Returns a copy of the store as if its file had been copied: the same log and the same replica.
  package func copy() throws -> ReferenceBackend {
    ReferenceBackend(
      try log(),
      wallMilliseconds: wallMilliseconds,
      freshReplica: freshReplica
    )
  }

  /// Returns the store as if a copy of its file had been opened, with a clock of its own, even if
  /// this one is not closed.
  package func reopened(
    wallMilliseconds: @escaping @Sendable () -> Int64
  ) -> ReferenceBackend {
    ReferenceBackend(
      shared.withLock { $0.log },
      wallMilliseconds: wallMilliseconds,
      freshReplica: freshReplica
    )
  }

  /// Returns all commits in order of arrival.
  package func arrivals() throws -> [Commit] { try log().arrivals }

  private func log() throws -> ReferenceLog {
    let wall = wallMilliseconds()
    return try use { shared in
      try shared.log.forgetDue(wallMilliseconds: wall)
      return shared.log
    }
  }

  private func use<Result>(_ body: (inout Shared) throws -> sending Result) throws -> sending Result
  {
    try shared.withLock { shared in
      guard !shared.isClosed else {
        throw VarveError(.closed, "the store was closed", remedy: "Open it again.")
      }
      return try body(&shared)
    }
  }

  /// Returns the state of a log at a moment, cached after the first time.
  private func state(of log: ReferenceLog, at moment: Moment, _ wall: Int64) throws -> FoldedState {
    let key = StateKey(
      moment: moment,
      commitCount: log.arrivals.count,
      withheldCount: log.withheldCount(wallMilliseconds: wall)
    )
    if let state = try use({ $0.states[key] }) { return state }
    let moment = fault == .leakingPast ? .now : moment
    let state = log.fold.state(
      at: moment,
      wallMilliseconds: fault == .impatience ? .max / 2 : wall
    )
    try use { shared in
      if shared.states.count >= 16 { shared.states = [:] }
      shared.states[key] = state
    }
    return state
  }
}

extension ReferenceBackend {
  /// Returns a reader of a state, with the planted fault if there is one.
  private func reader(
    _ log: ReferenceLog,
    _ moment: Moment,
    _ state: FoldedState,
    _ wall: Int64
  ) -> ReferenceReader {
    guard let fault else {
      return ReferenceReader(log: log, moment: moment, state: state, wallMilliseconds: wall)
    }
    let reader = FaultyReader(log: log, moment: moment, state: state, wallMilliseconds: wall)
    reader.fault = fault
    return reader
  }

  package func replica() async throws -> ReplicaID { try log().replica }

  package func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    let log = try log()
    let wall = wallMilliseconds()
    try log.fold.checkHorizons(moment, wallMilliseconds: wall)
    let state = try state(of: log, at: moment, wall)
    return try await body(
      reader(log, moment, state, wall)
    )
  }

  package func readLives<Result>(
    at frontier: Frontier,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    let log = try log()
    let wall = wallMilliseconds()
    let state = try state(of: log, at: .frontier(frontier), wall)
    return try await body(reader(log, .frontier(frontier), state, wall))
  }

  package func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    let first = try log()
    try await writing.acquire(patienceMilliseconds: request.patienceMilliseconds)
    defer { writing.release() }
    let wall = wallMilliseconds()
    var log = fault == .lostUpdates ? first : try log()
    if log.isAheadOfItself(wallMilliseconds: wall) { log.goOn(as: freshReplica()) }
    let writer = (fault == nil ? ReferenceWriter.self : FaultyWriter.self).init(
      log: log,
      state: try state(of: log, at: .now, wall),
      request: request,
      wallMilliseconds: wall
    )
    (writer as? FaultyWriter)?.fault = fault
    let result = try await body(writer)
    try Task.checkCancellation()
    guard let commit = writer.finish() else { return (result, nil) }
    try log.insertLocal(commit, wallMilliseconds: wall)
    let after = log
    try use { $0.log = after }
    let receipt = WriteReceipt(
      commit: CommitSummary(commit.header, id: commit.id),
      applied: commit.header.dependencies
    )
    request.committed?(receipt)
    return (result, receipt)
  }

  package func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    _ = try log()
    try await writing.acquire(patienceMilliseconds: WriteRequest().patienceMilliseconds)
    defer { writing.release() }
    let wall = wallMilliseconds()
    var log = try log()
    if let admission = log.admission {
      for commit in commits where log[commit.id] == nil { try admission.require(commit) }
    }
    let before = try state(of: log, at: .now, wall)
    let added = try log.append(fault == .numbersOnly ? log.newByNumber(commits) : commits)
    var report = AppendReport()
    report.addedCount = added.count
    guard !added.isEmpty else { return report }
    report.withheldCount =
      added.count { HybridClock.isWithheld($0.header.time, wallMilliseconds: wall) }
    if added.contains(where: { $0.header.replica == log.replica }) {
      log.goOn(as: freshReplica())
      report.replacedReplica = log.replica
    }
    let after = log
    report.died = LifeChanges(from: before, to: try state(of: after, at: .now, wall)).died
    try use { $0.log = after }
    return report
  }

  package func frontier() async throws -> Frontier { try log().fold.frontier }

  package func leave(_ replica: ReplicaID) async throws -> ReplicaID? {
    _ = try log()
    try await writing.acquire(patienceMilliseconds: WriteRequest().patienceMilliseconds)
    defer { writing.release() }
    var log = try log()
    guard log.replica == replica else { return nil }
    log.goOn(as: freshReplica())
    let after = log
    try use { $0.log = after }
    return after.replica
  }

  package func withheldCommits() async throws -> [Commit] {
    let wall = wallMilliseconds()
    return try log().arrivals.filter {
      HybridClock.isWithheld($0.header.time, wallMilliseconds: wall)
    }
  }

  package func chains() async throws -> [ChainSummary] {
    let log = try log()
    // The first commit that follows another continues its chain; any other begins a branch.
    var chains: [(first: Commit, last: Commit)] = []
    for commit in log.arrivals {
      if let index = chains.firstIndex(where: { $0.last.id == commit.predecessor }) {
        chains[index].last = commit
      } else {
        chains.append((commit, commit))
      }
    }
    return chains.map { chain in
      ChainSummary(
        first: CommitSummary(chain.first.header, id: chain.first.id),
        last: CommitSummary(chain.last.header, id: chain.last.id)
      )
    }.sorted { $0.first.id < $1.first.id }
  }

  package func summits() async throws -> [CommitID] {
    let fold = try log().fold
    let heads = fold.frontier.heads
    return heads.filter { head in
      !heads.contains { $0 != head && fold.seen(by: $0).contains(head) }
    }
  }

  package func seen(by ids: [CommitID]) async throws -> Frontier {
    let fold = try log().fold
    let seen = ids.reduce(into: Set<CommitID>()) { $0.formUnion(fold.seen(by: $1)) }
    let predecessors = Set(seen.compactMap { fold.commits[$0]?.header.previous })
    return Frontier(seen.filter { !predecessors.contains($0.hash) })
  }

  package func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit] {
    try log().commits(beyond: frontier, atMost: byteCount)
  }

  package func commitCount(beyond frontier: Frontier) async throws -> Int {
    try log().commits(beyond: frontier, atMost: .max).count
  }

  package func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    let log = try log()
    return Set(ids.filter { log[$0] != nil })
  }

  /// Does nothing, because there is no disk.
  package func flush() async throws { _ = try log() }

  /// Returns sizes of zero, because everything is in memory.
  package func storage() async throws -> StorageSizes {
    _ = try log()
    return StorageSizes(measure: .payload, tables: [])
  }

  package func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport {
    let log = try log()
    var report = CheckReport()
    var again = ReferenceLog(replica: log.replica)
    for (index, commit) in log.arrivals.enumerated() {
      do {
        _ = try again.append([commit])
      } catch {
        report.findings.append("\(error)")
      }
      report.commitCount += 1
      report.blockCount += commit.blocks.count
      progress(CheckProgress(done: index + 1, total: log.arrivals.count))
    }
    report.entityCount = try state(of: log, at: .now, wallMilliseconds()).entities.count
    return report
  }

  /// Does nothing, because an index does not change results.
  package func addIndex(on keys: [PropertyKey], of type: EntityType) async throws { _ = try log() }

  /// Does nothing, because there is none.
  package func removeIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    _ = try log()
  }

  /// Does nothing, because every read derives its state from the log.
  package func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws {
    let count = try log().arrivals.count
    progress(RebuildProgress(commitCount: count, totalCount: count))
  }

  package var follower: (any HomeFollower)? { nil }

  package func close() async throws { try use { $0.isClosed = true } }
}
