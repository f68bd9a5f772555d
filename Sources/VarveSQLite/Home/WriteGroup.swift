import Synchronization
import VarveCore

/// The writes of this process that wait to share a turn at the home, or the transaction before a
/// flush.
///
/// One task drives them: while a turn commits, others gather, and the next turn takes them all.
/// Each runs in the task of its caller, at a savepoint of its own, and makes a commit of its own.
/// Where writes come one at a time, each takes its turn itself.
final class WriteGroup: Sendable {
  private struct State {
    var waiting: [Member] = []
    /// Whether a task takes turns, for those that wait or for itself.
    var isDriven = false
    /// Whether others came while the last turn was taken.
    var isCrowded = false
  }

  /// The most writes that share a turn.
  static let limit = 256

  private let state = Mutex(State())

  /// A write that waits, runs, and waits for the commit of the turn.
  ///
  /// `@unchecked Sendable`: only the notification is not protected, which is set before `done` and
  /// used after it.
  final class Member: @unchecked Sendable {
    let patienceMilliseconds: Int
    /// The session, once it is this write's turn.
    let turn = OneShot<SessionLoan>()
    /// Whether the write is complete; false if it failed and left no trace. Fails if the
    /// transaction cannot go on.
    let done = OneShot<Bool>()
    /// The outcome of the turn's commit.
    let end = OneShot<Void>()
    /// Called after the commit, in the order of the commits.
    var notify: () -> Void = {}

    init(patienceMilliseconds: Int) { self.patienceMilliseconds = patienceMilliseconds }
  }

  /// A session that is lent to another task, which uses it while its owner waits.
  ///
  /// `@unchecked Sendable`: only one of the two uses it at a time.
  struct SessionLoan: @unchecked Sendable {
    let session: Session
  }

  /// Lets a write take a turn for itself, in its own task, if no others come. Returns whether it
  /// may; then it must call ``endAlone()``.
  func beginAlone() -> Bool {
    state.withLock { state in
      guard !state.isDriven, !state.isCrowded else { return false }
      state.isDriven = true
      return true
    }
  }

  /// Ends a turn of one write. Returns whether the caller must start a driver, for those that came.
  func endAlone() -> Bool {
    state.withLock { state in
      state.isDriven = !state.waiting.isEmpty
      state.isCrowded = state.isDriven
      return state.isDriven
    }
  }

  /// Records how many writes shared a turn.
  func noteTurn(of count: Int) { state.withLock { $0.isCrowded = count > 1 } }

  /// Adds a write. Returns whether the caller must start a driver.
  func add(_ member: Member) -> Bool {
    state.withLock { state in
      state.waiting.append(member)
      defer { state.isDriven = true }
      return !state.isDriven
    }
  }

  /// Removes the write that waits longest, and returns it.
  func next() -> Member? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Removes a write that waits no longer.
  func remove(_ member: Member) {
    state.withLock { $0.waiting.removeAll { $0 === member } }
  }

  /// Ends all writes that wait.
  func refuse(_ error: any Error) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for member in waiting { member.turn.set(.failure(error)) }
  }

  /// The longest time that one of the writes waits; nil, and the driver ends, if none waits.
  func patience() -> Int? {
    state.withLock { state in
      let patience = state.waiting.map(\.patienceMilliseconds).max()
      if patience == nil { state.isDriven = false }
      return patience
    }
  }
}

/// A value that is set once, and waited for by one task.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value, any Error>)
    case full(Result<Value, any Error>)
  }

  private let state = Mutex(State.empty)

  /// Sets the value unless it is set. Returns whether it was.
  @discardableResult
  func set(_ result: Result<Value, any Error>) -> Bool {
    let (isFirst, waiter) = state.withLock {
      state -> (Bool, CheckedContinuation<Value, any Error>?) in
      switch state {
      case .full: return (false, nil)
      case .empty:
        state = .full(result)
        return (true, nil)
      case .waiting(let waiter):
        state = .full(result)
        return (true, waiter)
      }
    }
    waiter?.resume(with: result)
    return isFirst
  }

  /// Waits for the value, whether or not the task is cancelled.
  func value() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let known = state.withLock { state -> Result<Value, any Error>? in
        if case .full(let result) = state { return result }
        state = .waiting(continuation)
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }
}
