import Synchronization
import VarveCore

/// Gives one caller at a time access to a resource, first come, first served, until it ends.
///
/// A nested call in the same task would wait for itself, so it throws instead.
final class Turnstile<Thing>: @unchecked Sendable {
  // Unchecked because `thing` need not be Sendable: only the holder uses it, and the mutex decides
  // which caller that is.
  private let thing: Thing
  private let name: String
  private let state = Mutex(TurnstileState())

  init(_ thing: Thing, name: String) {
    self.thing = thing
    self.name = name
  }

  /// Whether calls are still accepted.
  var isOpen: Bool { state.withLock { !$0.isEnded } }

  /// Returns the resource if it is free; nil otherwise. Whoever gets it calls ``leave()`` at the end.
  ///
  /// A call by this way costs no closure and no frame of a task, unlike ``pass(_:)``.
  func takeNow() -> Thing? { takeIfFree() ? thing : nil }

  /// Calls a closure with the resource once it is free.
  func pass<Result>(_ body: (Thing) async throws -> Result) async throws -> Result {
    // Mostly it is free, and a call that does not wait costs no frame.
    if !takeIfFree() { try await enter() }
    defer { leave() }
    return try await body(thing)
  }

  /// Admits other callers while the holder awaits something else. The resource must not end before
  /// the holder returns.
  func stepAside<Result>(_ body: () async -> Result) async -> Result {
    leave()
    let result = await body()
    let task = currentTask
    if state.withLock({ $0.takeIfFree(task) }) { return result }
    await withCheckedContinuation { continuation in
      if state.withLock({ $0.takeOrWait(task) { _ in continuation.resume() } }) {
        continuation.resume()
      }
    }
    return result
  }

  /// Waits for the current holder, calls a closure, then refuses all later callers. If the closure
  /// throws, they are not refused.
  func end<Result>(after body: (Thing) async throws -> Result) async throws -> Result {
    if !takeIfFree() { try await enter() }
    let result: Result
    do {
      result = try await body(thing)
    } catch {
      leave()
      throw error
    }
    let waiting = state.withLock { $0.end() }
    for waiter in waiting { waiter.proceed(ended) }
    return result
  }

  /// Waits for the current holder, then refuses all later callers, if it has not ended already.
  func end() async { try? await end { _ in } }

  private func takeIfFree() -> Bool {
    let task = currentTask
    return state.withLock { $0.takeIfFree(task) }
  }

  private func enter() async throws {
    let task = currentTask
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      let refusal = state.withLock { state -> TurnstileState.Refusal? in
        if state.isEnded { return .ended }
        if state.isHeld, state.holder == task { return .nested }
        let isIn = state.takeOrWait(task) { error in
          if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
        return isIn ? .notAtAll : nil
      }
      switch refusal {
      case nil: break
      case .notAtAll: continuation.resume()
      case .ended: continuation.resume(throwing: ended)
      case .nested: continuation.resume(throwing: nested)
      }
    }
  }

  /// Passes the resource to the next waiter.
  func leave() {
    let next = state.withLock { $0.next() }
    next?.proceed(nil)
  }

  private var currentTask: TaskIdentity { withUnsafeCurrentTask { TaskIdentity(task: $0) } }

  /// The error for use after the end.
  var ended: VarveError {
    VarveError(
      .transactionEnded,
      "a \(name) was used after its closure returned",
      remedy: "Finish, or wait for, all use of it inside the closure."
    )
  }

  private var nested: VarveError {
    VarveError(
      .nestedTransaction,
      "a \(name) was used while its task is inside one of its operations",
      remedy: "In a hook, use the state passed to it; in `reading`, the reader passed to it."
    )
  }
}

/// Tells the tasks of callers apart; equal for all callers outside tasks.
///
/// It keeps the task's memory, so no later task is equal to an earlier one.
private struct TaskIdentity: Equatable, @unchecked Sendable {
  // Unchecked because the task is only compared, which any thread may do.
  let task: UnsafeCurrentTask?
}

/// The holder and the waiting callers.
private struct TurnstileState {
  struct Waiter {
    var task: TaskIdentity
    /// Called with nil to admit the waiter, or with the error that refuses it.
    var proceed: @Sendable (VarveError?) -> Void
  }

  enum Refusal {
    case notAtAll
    case ended
    case nested
  }

  var isHeld = false
  var isEnded = false
  var holder = TaskIdentity(task: nil)
  private var waiting: [Waiter] = []

  mutating func takeIfFree(_ task: TaskIdentity) -> Bool {
    guard !isHeld, !isEnded else { return false }
    isHeld = true
    holder = task
    return true
  }

  /// Takes the place and returns true if it is free; otherwise joins the queue and returns false.
  mutating func takeOrWait(_ task: TaskIdentity, proceed: @escaping @Sendable (VarveError?) -> Void)
    -> Bool
  {
    if takeIfFree(task) { return true }
    waiting.append(Waiter(task: task, proceed: proceed))
    return false
  }

  /// Passes the place to the next waiter.
  mutating func next() -> Waiter? {
    guard !waiting.isEmpty else {
      isHeld = false
      holder = TaskIdentity(task: nil)
      return nil
    }
    let next = waiting.removeFirst()
    holder = next.task
    return next
  }

  mutating func end() -> [Waiter] {
    isEnded = true
    isHeld = false
    defer { waiting = [] }
    return waiting
  }
}
