#if Server
import Synchronization

/// What is to be said of a request in the log, beside what its first line says. It has no secrets.
final class RequestNotes: Sendable {
  private struct State {
    var subject: String?
    var code: String?
    var detail: String?
  }

  private let state = Mutex(State())

  /// The notes of the request that the current task replies to.
  @TaskLocal static var current: RequestNotes?

  /// The name under which the caller writes.
  var subject: String? { state.withLock { $0.subject } }
  /// The code of the problem that is the reply.
  var code: String? { state.withLock { $0.code } }
  /// What is wrong; nil if the message may contain stored values.
  var detail: String? { state.withLock { $0.detail } }

  func note(subject: String?) { state.withLock { $0.subject = subject } }

  func note(_ problem: Problem) {
    state.withLock { state in
      state.code = problem.code
      state.detail = problem.mayContainValues ? nil : problem.cause ?? problem.message
    }
  }
}
#endif
