#if Server
import HTTPTypes
import Synchronization
import VarveCore

/// The long requests of each subject that run, and those that wait for their turn.
///
/// All requests share the threads of ``RequestExecutor``. A subject has a share of them at a time,
/// so that one with many slow requests leaves threads to the others.
final class RequestTurns: Sendable {
  private struct Waiting {
    let number: Int
    let waiter: CheckedContinuation<Void, any Error>
  }

  /// The requests of a subject.
  private struct Line {
    var runningCount = 0
    var waiting: [Waiting] = []
  }

  private struct State {
    var last = 0
    var lines: [String: Line] = [:]
  }

  private let limit: Int
  private let waitingLimit: Int
  private let state = Mutex(State())

  /// Creates the turns.
  ///
  /// - Parameter limit: the most requests of a subject that run at a time. Four times as many may
  ///   wait.
  init(atMost limit: Int) {
    self.limit = max(1, limit)
    waitingLimit = min(self.limit, .max / 4) * 4
  }

  /// Runs a body as soon as the subject has a turn.
  ///
  /// - Parameter subject: nil for one without a share, who may run all at once.
  /// - Throws: a problem (`overQuota`) if too many wait already, `CancellationError`.
  func run<Result>(
    for subject: String?,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard let subject else { return try await body() }
    try await take(subject)
    defer { giveBack(subject) }
    return try await body()
  }

  private func take(_ subject: String) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        join(subject, Waiting(number: number, waiter: waiter))
      }
    } onCancel: {
      leave(subject, number)
    }
  }

  private func join(_ subject: String, _ waiting: Waiting) {
    let outcome = state.withLock { state -> Result<Void, any Error>? in
      var line = state.lines[subject] ?? Line()
      defer { state.lines[subject] = line.runningCount > 0 ? line : nil }
      if line.runningCount < limit {
        line.runningCount += 1
        return .success(())
      }
      // A cancellation first marks the task, and then removes it from the line.
      if Task.isCancelled { return .failure(CancellationError()) }
      guard line.waiting.count < waitingLimit else { return .failure(Problem.tooManyAtOnce) }
      line.waiting.append(waiting)
      return nil
    }
    if let outcome { waiting.waiter.resume(with: outcome) }
  }

  private func leave(_ subject: String, _ number: Int) {
    let waiting = state.withLock { state -> Waiting? in
      guard let index = state.lines[subject]?.waiting.firstIndex(where: { $0.number == number })
      else { return nil }
      return state.lines[subject]?.waiting.remove(at: index)
    }
    waiting?.waiter.resume(throwing: CancellationError())
  }

  private func giveBack(_ subject: String) {
    let next = state.withLock { state -> Waiting? in
      guard var line = state.lines[subject] else { return nil }
      defer { state.lines[subject] = line.runningCount > 0 ? line : nil }
      guard line.waiting.isEmpty else { return line.waiting.removeFirst() }
      line.runningCount -= 1
      return nil
    }
    next?.waiter.resume()
  }
}

extension Problem {
  /// As many requests of a subject wait as may.
  fileprivate static var tooManyAtOnce: Problem {
    var problem = Problem(
      .tooManyRequests,
      "overQuota",
      "too many requests of this subject are waiting for their turn",
      remedy: "Wait for some replies, then try again. GET /v1 lists the limits."
    )
    problem.headers[.retryAfter] = "1"
    return problem
  }
}
#endif
