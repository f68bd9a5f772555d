#if Server
package import Foundation
import Synchronization

/// Wakes open streams when something is due: a sign of life, the end of a token, or a look at
/// whether those who follow are still permitted to.
///
/// One task does this for all streams of a server, and looks once a second.
package final class StreamPulse: Sendable {
  /// What is due for a stream.
  package enum Signal: Sendable {
    case none
    /// A look at whether those who follow are still permitted to.
    case look
    /// The same, and a sign of life.
    case beat
  }

  private struct Stream {
    let waker: AsyncStream<Void>.Continuation
    let expiry: Date?
    /// The revision at the last look; nil before the first.
    var revision: Int?
    var due: ContinuousClock.Instant
    var signal = Signal.none
  }

  private struct State {
    var last = 0
    var streams: [Int: Stream] = [:]
    var beat: Task<Void, Never>?
  }

  private let heartbeat: Duration
  private let now: @Sendable () -> Date
  /// A number that differs whenever those who follow may have lost their rights.
  private let revision: @Sendable () async -> Int
  private let state = Mutex(State())

  /// Creates a pulse.
  ///
  /// - Parameters:
  ///   - heartbeat: the time between two signs of life.
  ///   - now: the time by which tokens end.
  ///   - revision: a number that differs whenever those who follow may have lost their rights.
  package init(
    every heartbeat: Duration,
    now: @escaping @Sendable () -> Date,
    revision: @escaping @Sendable () async -> Int
  ) {
    self.heartbeat = heartbeat
    self.now = now
    self.revision = revision
  }

  /// Wakes a stream from time to time, until the returned number is removed.
  package func add(_ waker: AsyncStream<Void>.Continuation, until expiry: Date?) -> Int {
    state.withLock { state in
      state.last += 1
      state.streams[state.last] = Stream(waker: waker, expiry: expiry, due: .now + heartbeat)
      if state.beat == nil { state.beat = beat() }
      return state.last
    }
  }

  /// Removes a stream.
  package func remove(_ number: Int) {
    state.withLock { state in
      state.streams[number] = nil
      guard state.streams.isEmpty else { return }
      state.beat?.cancel()
      state.beat = nil
    }
  }

  /// Returns what is due, once.
  package func take(_ number: Int) -> Signal {
    state.withLock { state in
      let signal = state.streams[number]?.signal ?? .none
      state.streams[number]?.signal = .none
      return signal
    }
  }

  private func beat() -> Task<Void, Never> {
    Task.detached { [self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        let revision = await revision()
        let today = self.now()
        let now = ContinuousClock.now
        state.withLock { state in
          for (number, stream) in state.streams {
            state.streams[number]?.revision = revision
            let isOver = stream.expiry.map { $0 <= today } ?? false
            let isChanged = stream.revision != nil && stream.revision != revision
            if isChanged || isOver || stream.due <= now {
              state.streams[number]?.due = now + heartbeat
              state.streams[number]?.signal = .beat
            } else if stream.revision == nil {
              // Rights that were lost while the stream was opened show in no difference.
              state.streams[number]?.signal = .look
            } else {
              continue
            }
            stream.waker.yield()
          }
        }
      }
    }
  }
}
#endif
