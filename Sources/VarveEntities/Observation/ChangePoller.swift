import Synchronization
import VarveCore

/// Polls the logs of all stores that have subscribers for commits of other processes.
///
/// A look costs much less than the timer that precedes it. So one task looks at all of them.
final class ChangePoller: Sendable {
  /// The poller of the process.
  static let shared = ChangePoller()
  /// The pause between two polls.
  static let interval = Duration.milliseconds(40)

  private struct Watch {
    let probe: any ChangeProbe
    let continuation: AsyncStream<Void>.Continuation
  }

  private struct State {
    var watches: [ObjectIdentifier: Watch] = [:]
    var isPolling = false
  }

  private let state = Mutex(State())

  /// Returns a sequence with an element after each poll that found a change, or that failed. Polls
  /// of a log end with the sequence.
  func changes(of probe: any ChangeProbe) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = ObjectIdentifier(probe)
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    let begins = state.withLock { state in
      state.watches[id] = Watch(probe: probe, continuation: continuation)
      defer { state.isPolling = true }
      return !state.isPolling
    }
    if begins { Task.detached { await self.poll() } }
    return stream
  }

  private func remove(_ id: ObjectIdentifier) { state.withLock { $0.watches[id] = nil } }

  private func poll() async {
    while true {
      let watches = state.withLock { state in
        state.isPolling = !state.watches.isEmpty
        return Array(state.watches.values)
      }
      if watches.isEmpty { return }
      for watch in watches where (try? watch.probe.hasChanged()) ?? true {
        watch.continuation.yield()
      }
      try? await Task.sleep(for: Self.interval)
    }
  }
}
