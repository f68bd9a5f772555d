import Synchronization

/// Closures that are called at deadlines, unless they are removed before.
///
/// Most of what has a deadline is done before it. One task sleeps for all of them, and wakes once
/// for many, so adding one and removing it arms no timer.
package final class Deadlines: Sendable {
  /// Identifies a deadline.
  package struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  /// Those of the process.
  package static let shared = Deadlines()

  private struct Entry {
    let deadline: ContinuousClock.Instant
    let body: @Sendable () -> Void
  }

  private struct State {
    var nextNumber: UInt64 = 0
    var entries: [ID: Entry] = [:]
    /// The task that sleeps, and when it wakes.
    var sleeper: (task: Task<Void, Never>, wake: ContinuousClock.Instant)?
  }

  private let state = Mutex(State())

  /// Creates a set without deadlines.
  package init() {}

  /// Calls a closure at a deadline, on any thread. It must not block.
  package func add(
    _ deadline: ContinuousClock.Instant,
    _ body: @escaping @Sendable () -> Void
  ) -> ID {
    state.withLock { state in
      state.nextNumber += 1
      let id = ID(number: state.nextNumber)
      state.entries[id] = Entry(deadline: deadline, body: body)
      if let sleeper = state.sleeper {
        guard deadline < sleeper.wake else { return id }
        sleeper.task.cancel()
      }
      sleep(until: deadline, &state)
      return id
    }
  }

  /// Removes a deadline. Its closure may be running, or may have been called.
  package func remove(_ id: ID) { state.withLock { _ = $0.entries.removeValue(forKey: id) } }

  private func sleep(until deadline: ContinuousClock.Instant, _ state: inout State) {
    // Far deadlines exceed what some systems can sleep for.
    let wake = min(deadline, .now + .seconds(3_600))
    // It would otherwise keep the caller's values alive.
    let task = Task.detached { [weak self] in
      do { try await Task.sleep(until: wake, clock: .continuous) } catch { return }
      self?.wakeUp()
    }
    state.sleeper = (task, wake)
  }

  /// Calls what is due, and sleeps until the next deadline.
  private func wakeUp() {
    let due = state.withLock { state -> [Entry] in
      let now = ContinuousClock.now
      // Another sleeper may have taken over.
      if let sleeper = state.sleeper, sleeper.wake <= now { state.sleeper = nil }
      let ids = state.entries.filter { $0.value.deadline <= now }.keys
      let due = ids.compactMap { state.entries.removeValue(forKey: $0) }
      if state.sleeper == nil, let next = state.entries.values.map(\.deadline).min() {
        sleep(until: next, &state)
      }
      return due
    }
    for entry in due { entry.body() }
  }
}
