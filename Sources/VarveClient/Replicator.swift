#if Client || canImport(Darwin)
public import VarveCore
public import VarveStore
public import VarveSync

/// Keeps a store and a space of a server equal, until it is cancelled.
///
/// ```swift
/// let replicator = Replicator(store, with: RemoteSpace("http://127.0.0.1:8642/hats"))
/// let task = Task { try await replicator.run() }
/// for await status in replicator.statuses { print(status.state, status.waitingCount) }
/// ```
public final class Replicator: Sendable {
  /// Whether the store and the space are kept equal.
  public enum State: String, Sendable, Hashable {
    /// The store and the server compare their commits.
    case connecting
    /// Both sides were equal, and each is notified of the other's new commits.
    case live
    /// The server cannot be reached or is busy, or the store is suspended. The exchange is retried.
    case offline
    /// The server does not know the token.
    case needsCredentials
    /// The token does not permit reading the space, or writing to it.
    case forbidden
    /// The server or its commits need another version of Varve.
    case newerFormat
    /// There is no such space any more, or another has its name.
    case ended
  }

  /// A state, and what is still to be sent.
  public struct Status: Sendable, Hashable {
    /// The state.
    public var state: State
    /// The number of commits of this store that the space did not have at the last exchange, and
    /// those since; nil before the first exchange.
    public var waitingCount: Int?
    /// What prevents it from being live, if anything does.
    public var error: VarveError?
  }

  private let store: Store
  private let space: RemoteSpace
  private let channel: AsyncStream<Status>.Continuation
  /// The states from now on. Only the newest waits for a slow reader.
  public let statuses: AsyncStream<Status>

  /// Creates a replicator.
  public init(_ store: Store, with space: RemoteSpace) {
    self.store = store
    self.space = space
    (statuses, channel) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Keeps both sides equal until the task is cancelled or the store is closed.
  ///
  /// - Parameter exchanged: called after each exchange with its report, before the status that
  ///   follows from it. Most exchanges find nothing new.
  /// - Throws: `CancellationError`; `VarveError` if the store cannot be read, or the address
  ///   names no space.
  public func run(
    exchanged: @escaping @Sendable (SyncReport) -> Void = { _ in }
  ) async throws {
    try space.requireName()
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    defer { channel.finish() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [store] in
        try await store.changes().forEachArrival { signal.yield() }
        signal.finish()
      }
      group.addTask { try await self.listen(signal) }
      group.addTask { try await self.replicate(signals, exchanged) }
      group.addTask {
        // Announcements can get lost, so both sides are compared from time to time.
        while true {
          try await Task.sleep(for: Self.interval)
          signal.yield()
        }
      }
      // If one of the tasks ends, the others are cancelled.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  // MARK: Exchanging

  private func replicate(
    _ signals: AsyncStream<Void>,
    _ exchanged: @Sendable (SyncReport) -> Void
  ) async throws {
    var meeting: SpaceMeeting?
    var backoff = Backoff()
    var arrivals = signals.makeAsyncIterator()
    // Which commits the space has is known even after a failure that ends the meeting.
    var known: Frontier?
    try await show(.connecting, beyond: known)
    while true {
      do {
        let outcome = try await store.exchange(with: space, after: meeting)
        meeting = outcome.meeting
        known = meeting?.frontier ?? known
        backoff.reset()
        exchanged(outcome.report)
        try await show(.live, beyond: known)
      } catch let error as CancellationError {
        throw error
      } catch {
        try Task.checkCancellation()
        let failure = Failed(error)
        // After such a failure, the earlier meeting may no longer be valid.
        meeting = failure.keepsMeeting ? meeting : nil
        if failure.state == .ended { known = nil }
        try await show(failure.state, beyond: known, failure.error)
        try await Task.sleep(for: backoff.next(atLeast: failure.retryAfter))
        continue
      }
      guard await arrivals.next() != nil else { return }
    }
  }

  /// The longest time between two exchanges.
  private static let interval = Duration.seconds(60)

  private func show(
    _ state: State,
    beyond known: Frontier?,
    _ error: VarveError? = nil
  ) async throws {
    var waiting: Int? = state == .live ? 0 : nil
    if state != .live, error?.code != .suspended, let known {
      waiting = try await store.sharedLog().commitCount(beyond: known)
    }
    channel.yield(Status(state: state, waitingCount: waiting, error: error))
  }

  // MARK: Listening

  /// Signals whenever the space announces something, as long as the store is replicated.
  private func listen(_ signal: AsyncStream<Void>.Continuation) async throws {
    var backoff = Backoff()
    while true {
      try Task.checkCancellation()
      do {
        let transport = try await space.transport()
        try await transport.live { _ in
          backoff.reset()
          signal.yield()
        }
      } catch is CancellationError {
        throw CancellationError()
      } catch {}
      // Announcements may have been missed when the connection ended.
      signal.yield()
      try await Task.sleep(for: backoff.next(atLeast: nil))
    }
  }
}

/// A failure of an exchange, and the resulting state.
private struct Failed {
  let state: Replicator.State
  let error: VarveError
  var retryAfter: Double?
  /// Whether the next exchange can begin where both sides were equal.
  var keepsMeeting = true

  init(_ error: any Error) {
    let refusal = error as? ServerRefusal
    let known =
      refusal?.error ?? error as? VarveError ?? VarveError(.inputOutput, "\(error)")
    self.error = known
    retryAfter = refusal?.retryAfter
    switch known.code {
    case .unauthorized: state = .needsCredentials
    case .forbidden: state = .forbidden
    case .newerFormat: state = .newerFormat
    case .notFound: state = .ended
    default: state = .offline
    }
    keepsMeeting = [.inputOutput, .busy, .suspended].contains(known.code)
  }
}

/// Growing pauses between attempts, with full jitter, so that many clients do not come back at
/// once.
struct Backoff: Sendable {
  private var exponent = 0

  /// The shortest and the longest pause, in seconds, before jitter.
  static let bounds = 0.5...60.0

  /// Begins anew, after progress.
  mutating func reset() { exponent = 0 }

  /// Returns the next pause.
  mutating func next(atLeast least: Double?) -> Duration {
    let most = min(Self.bounds.upperBound, Self.bounds.lowerBound * Double(1 << exponent))
    exponent = min(exponent + 1, 10)
    let pause = Double.random(in: 0...most)
    return .milliseconds(Int64(max(pause, min(least ?? 0, 3_600)) * 1_000))
  }
}
#endif
