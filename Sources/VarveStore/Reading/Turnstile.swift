import Synchronization
import VarveCore

/// Lets one caller at a time use something that is not made for several, first come, first served,
/// until it ends.
///
/// A call inside another of the same task would wait for itself; it throws instead.
final class Turnstile<Thing>: @unchecked Sendable {
  // Unchecked because `thing` need not be Sendable: only the holder touches it, and the mutex
  // decides who that is.
  private let thing: Thing
  private let name: String
  private let state = Mutex(TurnstileState())

  init(_ thing: Thing, name: String) {
    self.thing = thing
    self.name = name
  }

  /// Whether it can still be used.
  var isOpen: Bool { state.withLock { !$0.isEnded } }

  /// Uses the thing.
  func pass<Result>(_ body: (Thing) async throws -> Result) async throws -> Result {
    try await enter()
    defer { leave() }
    return try await body(thing)
  }

  /// Lets others in while the holder waits for something else. The end must wait for the holder.
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

  /// Waits for those inside, has a last look, then refuses everyone. Nil where that was done.
  @discardableResult
  func end<Result>(_ look: (Thing) -> Result) async -> Result? {
    guard (try? await enter()) != nil else { return nil }
    let result = look(thing)
    let waiting = state.withLock { $0.end() }
    for waiter in waiting { waiter.proceed(ended) }
    return result
  }

  private func enter() async throws {
    let task = currentTask
    if state.withLock({ $0.takeIfFree(task) }) { return }
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

  private func leave() {
    let next = state.withLock { $0.next() }
    next?.proceed(nil)
  }

  /// Something that is equal for calls of one task; 0 outside tasks.
  private var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

  /// What a use after the end throws.
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
      remedy: "In a hook, use the state it is given; in `reading`, the reader it is given."
    )
  }
}

/// Who is inside and who waits.
private struct TurnstileState {
  struct Waiter {
    var task: Int
    /// Told to go in, or why not.
    var proceed: @Sendable (VarveError?) -> Void
  }

  enum Refusal {
    case notAtAll
    case ended
    case nested
  }

  var isHeld = false
  var isEnded = false
  var holder = 0
  private var waiting: [Waiter] = []

  mutating func takeIfFree(_ task: Int) -> Bool {
    guard !isHeld, !isEnded else { return false }
    isHeld = true
    holder = task
    return true
  }

  /// Takes the place and answers true, or joins the line and answers false.
  mutating func takeOrWait(_ task: Int, proceed: @escaping @Sendable (VarveError?) -> Void) -> Bool
  {
    if takeIfFree(task) { return true }
    waiting.append(Waiter(task: task, proceed: proceed))
    return false
  }

  /// Hands the place on.
  mutating func next() -> Waiter? {
    guard !waiting.isEmpty else {
      isHeld = false
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
