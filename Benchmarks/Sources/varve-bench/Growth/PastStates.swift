import Foundation
import VarveCore
import VarveStore

/// A store's newest states, to come back to by their commits or by the time.
struct PastStates {
  private struct State {
    let frontier: Frontier
    let time: Date
  }

  private let store: Store
  private var states: [State] = []

  init(_ store: Store) { self.store = store }

  var count: Int { states.count }

  /// Records the present state. Waiting keeps later commits out of its millisecond.
  mutating func keep() async throws {
    try await Task.sleep(for: .milliseconds(2))
    states.append(State(frontier: try await store.frontier(), time: Date()))
    try await Task.sleep(for: .milliseconds(2))
  }

  /// Returns the state a number of records ago.
  func byCommits(back count: Int) -> PastState {
    store.asOf(states[states.count - 1 - count].frontier)
  }

  func byTime(back count: Int) throws -> PastState {
    try store.asOf(states[states.count - 1 - count].time)
  }
}
