import Dispatch
import Synchronization
package import VarveCore

/// Looks at the logs of all stores that have subscribers for commits of other processes: when one of their
/// files changes, and now and then in any case.
///
/// While nothing happens the process sleeps. The system's notices are fast, and cheap; the looks behind
/// them find what no notice came for, as from some file systems that other computers write to.
package final class ChangePoller: Sendable {
  /// The poller of the process.
  static let shared = ChangePoller()
  /// The pause between two looks where the system gives no notices.
  static let interval = Duration.milliseconds(40)

  private struct Watch {
    let probe: any ChangeProbe
    let continuation: AsyncStream<Void>.Continuation
    /// The file of which the system gives notices; nil if it gives none.
    let file: String?
  }

  private let queue = DispatchQueue(label: "varve.changes")
  private let state: Mutex<State>

  /// `@unchecked Sendable`: the timer and the signals are used on the queue alone.
  private struct State: @unchecked Sendable {
    var watches: [ObjectIdentifier: Watch] = [:]
    var signals: FolderSignals?
    var timer: (any DispatchSourceTimer)?
    /// The number of watches whose files give no notices.
    var unsignalledCount = 0
    let pause: Duration
  }

  /// - Parameter pause: the pause between two looks at files that give notices.
  package init(pause: Duration = .seconds(1)) { state = Mutex(State(pause: pause)) }

  /// Returns a sequence with an element after each look that found a change, or that failed. Looks at
  /// a log end with the sequence.
  package func changes(of probe: any ChangeProbe) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = ObjectIdentifier(probe)
    continuation.onTermination = { [self] _ in queue.async { self.remove(id) } }
    queue.async { [self] in
      add(id, probe, continuation)
      look()
    }
    return stream
  }

  // MARK: On the queue

  private func add(
    _ id: ObjectIdentifier,
    _ probe: any ChangeProbe,
    _ continuation: AsyncStream<Void>.Continuation
  ) {
    state.withLock { state in
      if state.signals == nil {
        state.signals = FolderSignals(on: queue) { [weak self] in self?.look() }
      }
      var file = probe.file
      if let path = file, state.signals?.watch(path) != true { file = nil }
      state.watches[id] = Watch(probe: probe, continuation: continuation, file: file)
      if file == nil { state.unsignalledCount += 1 }
      setTimer(&state)
    }
  }

  private func remove(_ id: ObjectIdentifier) {
    state.withLock { state in
      guard let watch = state.watches.removeValue(forKey: id) else { return }
      if let file = watch.file {
        state.signals?.unwatch(file)
      } else {
        state.unsignalledCount -= 1
      }
      if state.watches.isEmpty { state.signals = nil }
      setTimer(&state)
    }
  }

  /// Adapts the pause between two looks.
  private func setTimer(_ state: inout State) {
    guard !state.watches.isEmpty else {
      state.timer?.cancel()
      state.timer = nil
      return
    }
    let timer =
      state.timer
      ?? {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        return timer
      }()
    state.timer = timer
    let pause = state.unsignalledCount > 0 ? Self.interval : state.pause
    let (seconds, attoseconds) = pause.components
    let interval = DispatchTimeInterval.milliseconds(
      Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    )
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(10))
  }

  private func look() {
    for watch in state.withLock({ Array($0.watches.values) })
    where (try? watch.probe.hasChanged()) ?? true {
      watch.continuation.yield()
    }
  }
}
