#if Server
import VarveCore
import VarveJSON

/// What replying to a request may use: a time, a size, and only as long as the client waits.
struct RequestWork: Sendable {
  let limits: ServerLimits
  /// The turns of all subjects.
  let turns: RequestTurns
  /// Whose turn it takes; nil for a caller without a share.
  let subject: String?
  /// The name of the space that the request is about.
  let space: String?
  /// Keeps paths out of errors.
  let cover: FileCover
  /// Returns whether the client has left.
  let hasLeft: @Sendable () async -> Bool
  /// Whether a stream must ask from time to time whether the client has left.
  let mustAskWhetherLeft: Bool

  private enum Event<Result: Sendable>: Sendable {
    case done(Swift.Result<Result, any Error>)
    case late
    case left
    case unwatched
  }

  /// The time between two looks at the connection, which most requests do not need.
  static let interval = Duration.milliseconds(500)

  /// Runs a body on a thread that may be kept, once its subject has a turn. It is cancelled after
  /// the time that a request may take, which the wait is part of, and if the client leaves.
  ///
  /// The body's result counts if it has one, so what was written is not reported as cancelled.
  ///
  /// - Parameter isLimited: whether the time is limited. What the client's data or the size of the
  ///   space make long is not.
  /// - Throws: `VarveError` with code `cancelled` if the body was ended early; a problem
  ///   (`overQuota`) if too many requests of the subject wait.
  func run<Result: Sendable>(
    isLimited: Bool = true,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Event<Result>.self) { group in
      group.addTask(executorPreference: RequestExecutor.shared) {
        do {
          return .done(
            .success(
              try await turns.run(for: subject) {
                try await bounded(isLimited: isLimited) { try await body() }
              }
            )
          )
        } catch {
          return .done(.failure(error))
        }
      }
      group.addTask { await watch(for: isLimited ? .seconds(limits.requestSeconds) : nil) }
      var end: VarveError?
      for try await event in group {
        switch event {
        case .done(let result):
          group.cancelAll()
          return try outcome(result, end)
        case .late: end = tooLong
        case .left: end = VarveError(.cancelled, "the client left before the reply")
        case .unwatched: continue
        }
        group.cancelAll()
      }
      throw CancellationError()
    }
  }

  /// Runs a body within the bounds of its reads. Errors name the space, not its file.
  private func bounded<Result>(
    isLimited: Bool,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let bounds = ReadBounds(
      resultByteCount: limits.resultByteCount,
      memoryByteCount: limits.queryMemoryByteCount
    )
    return try await StorePlace.$current.withValue(space.map { "space \"\($0)\"" }) {
      try await ReadBounds.$current.withValue(bounds) {
        // An upload is no reply, and a backup is not made in memory.
        try await ReadBounds.reading(forReply: isLimited) { try await body() }
      }
    }
  }

  /// Returns the answer of an operation without paths in its error.
  func covered(_ answer: JSON) -> JSON { cover.covered(answer, in: space) }

  private func outcome<Result>(
    _ result: Swift.Result<Result, any Error>,
    _ end: VarveError?
  ) throws -> Result {
    do {
      return try result.get()
    } catch {
      let isCancelled = error is CancellationError || (error as? VarveError)?.code == .cancelled
      throw isCancelled ? end ?? Self.stopping : error
    }
  }

  /// Returns once the client has left or the time is over.
  private func watch<Result>(for time: Duration?) async -> Event<Result> {
    let end = time.map { ContinuousClock.now + $0 }
    do {
      while true {
        let rest = end.map { $0 - ContinuousClock.now } ?? Self.interval
        guard rest > .zero else { return .late }
        try await Task.sleep(for: min(Self.interval, rest))
        if await hasLeft() { return .left }
      }
    } catch {
      return .unwatched
    }
  }

  private var tooLong: VarveError {
    VarveError(
      .cancelled,
      "the request took longer than \(limits.requestSeconds) seconds",
      remedy: "Ask for less at a time; the operator of the server can raise --request-seconds."
    )
  }

  private static var stopping: VarveError {
    VarveError(
      .cancelled,
      "the server is stopping",
      remedy: "Try again when it runs."
    )
  }
}
#endif
