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
struct FaultyLog: CommitLogDecorator {
  let store: SimulatedStore

  var base: any CommitLog { store.backend }

  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    try await adding { try await base.append(commits, outline: outline) }
  }

  func append(
    outline: Horizon?,
    parts next: () async throws -> CommitPart?
  ) async throws -> AppendReport {
    try await adding { try await base.append(outline: outline, parts: next) }
  }

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
