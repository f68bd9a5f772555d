import Synchronization
import VarveCore
import VarveSync

/// A store of a simulation: its backend, the error of its clock, and its faults.
final class SimulatedStore: Sendable {
  private struct State {
    var backend: (any Backend)?
    var skew: Int64 = 0
    var isFull = false
    var failure: Failure?
    var followed: Int64 = 0
  }

  /// A fault of the next addition of commits.
  enum Failure: Sendable { case before, after }

  let number: Int
  private let state: Mutex<State>

  /// Creates a store that is not open yet.
  init(_ number: Int) {
    self.number = number
    state = Mutex(State())
  }

  var backend: any Backend {
    get {
      guard let backend = state.withLock({ $0.backend }) else {
        preconditionFailure("a store is open while the simulation uses it")
      }
      return backend
    }
    set { state.withLock { $0.backend = newValue } }
  }

  /// Returns the clock as the store reads it.
  func reading(of clock: TestClock) -> @Sendable () -> Int64 {
    { clock.now + self.skew + self.followed }
  }

  /// By how many milliseconds the clock is wrong.
  var skew: Int64 {
    get { state.withLock { $0.skew } }
    set { state.withLock { $0.skew = newValue } }
  }

  /// The lead of the clock from following others, which only a planted fault causes.
  var followed: Int64 {
    get { state.withLock { $0.followed } }
    set { state.withLock { $0.followed = newValue } }
  }

  var isFull: Bool {
    get { state.withLock { $0.isFull } }
    set { state.withLock { $0.isFull = newValue } }
  }

  /// Whether the process is to end at the next addition, and when.
  var failure: Failure? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// Takes the failure that is due.
  func takeFailure() -> Failure? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }
}

/// The process of a store ended.
struct SimulatedCrash: Error {
  let store: Int
}

/// The log of a store whose disk may be full and whose process may end around an addition.
struct FaultyLog: SyncLog {
  let store: SimulatedStore

  private var log: BackendLog { BackendLog(store.backend) }

  func replica() async throws -> ReplicaID { try await log.replica() }

  func frontier() async throws -> Frontier { try await log.frontier() }

  func summits() async throws -> [CommitID] { try await log.summits() }

  func seen(by ids: [CommitID]) async throws -> Frontier { try await log.seen(by: ids) }

  func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    try await log.held(among: ids)
  }

  func predecessors(of id: CommitID, at sequences: [Int64]) async throws -> [CommitID] {
    try await log.predecessors(of: id, at: sequences)
  }

  func count(beyond frontier: Frontier) async throws -> Int {
    try await log.count(beyond: frontier)
  }

  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    try await log.items(
      beyond: frontier,
      atMost: byteCount,
      wholeUpTo: wholeByteCount,
      outline: outline
    )
  }

  func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: Int64) {
    try await log.items(
      of: range,
      from: sequence,
      atMost: byteCount,
      wholeUpTo: wholeByteCount
    )
  }

  func outlineHorizon() async throws -> Horizon? { try await log.outlineHorizon() }

  func takesOutlines() async throws -> Bool { try await log.takesOutlines() }

  func expectOutlines(of horizon: Horizon) async throws {
    try await log.expectOutlines(of: horizon)
  }

  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    try await log.awaited(from: place, atMost: count)
  }

  func blocks(of id: CommitID, from index: Int, atMost byteCount: Int) async throws -> [Block] {
    try await log.blocks(of: id, from: index, atMost: byteCount)
  }

  func purged() async throws -> [CommitID] { try await log.purged() }

  func append(_ commits: [Commit]) async throws -> AppendReport {
    try await adding { try await log.append(commits) }
  }

  func append(
    _ id: CommitID,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    try await adding { try await log.append(id, parts: next) }
  }

  func synchronize() async throws { try await log.synchronize() }

  private func adding(_ add: () async throws -> AppendReport) async throws -> AppendReport {
    if store.isFull { throw VarveError(.diskFull, "the disk is full") }
    let failure = store.takeFailure()
    if failure == .before { throw SimulatedCrash(store: store.number) }
    let report = try await add()
    if failure == .after { throw SimulatedCrash(store: store.number) }
    if report.addedCount > 0 { _ = try await store.backend.leaveRetired() }
    return report
  }
}
