import Synchronization

/// Lets a task of a simulation run from one turn to the next, so that of several tasks one runs at
/// a time, in an order that the simulation chooses.
final class TurnGate: Sendable {
  private struct State {
    /// The task, while it waits for its turn.
    var task: CheckedContinuation<Void, Never>?
    /// The simulation, while the task runs.
    var simulation: CheckedContinuation<Void, Never>?
    var isOver = false

    mutating func takeSimulation() -> CheckedContinuation<Void, Never>? {
      defer { simulation = nil }
      return simulation
    }
  }

  private let state = Mutex(State())

  /// Whether the task has ended.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Waits for the next turn. Called by the task.
  func wait() async {
    await withCheckedContinuation { (task: CheckedContinuation<Void, Never>) in
      let simulation = state.withLock { state in
        state.task = task
        return state.takeSimulation()
      }
      simulation?.resume()
    }
  }

  /// Ends the last turn. Called by the task.
  func end() {
    let simulation = state.withLock { state in
      state.isOver = true
      return state.takeSimulation()
    }
    simulation?.resume()
  }

  /// Returns when the task waits for its first turn. Called by the simulation.
  func waitForTask() async {
    await withCheckedContinuation { (simulation: CheckedContinuation<Void, Never>) in
      let isWaiting = state.withLock { state in
        guard state.task == nil else { return true }
        state.simulation = simulation
        return false
      }
      if isWaiting { simulation.resume() }
    }
  }

  /// Gives the task, which waits, its turn. Returns when it waits again, or has ended.
  func giveTurn() async {
    await withCheckedContinuation { (simulation: CheckedContinuation<Void, Never>) in
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard !state.isOver else { return simulation }
        state.simulation = simulation
        defer { state.task = nil }
        return state.task
      }
      next?.resume()
    }
  }
}
