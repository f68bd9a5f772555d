import Foundation
import Synchronization

/// Wakes open streams when something is due: a sign of life, the end of a token, or a look at
/// whether those who follow are still permitted to.
///
/// One task does this for all streams of a server, and looks once a second.
final class StreamPulse: Sendable {
  private struct Stream {
    let waker: AsyncStream<Void>.Continuation
    let expiry: Date?
    var due: ContinuousClock.Instant
    var isDue = false
  }

  private struct State {
    var last = 0
    var streams: [Int: Stream] = [:]
    var revision: Int?
    var beat: Task<Void, Never>?
  }

  private let heartbeat: Duration
  private let access: Access
  private let state = Mutex(State())

  init(every heartbeat: Duration, access: Access) {
    self.heartbeat = heartbeat
    self.access = access
  }

  /// Wakes a stream from time to time, until the returned number is removed.
  func add(_ waker: AsyncStream<Void>.Continuation, until expiry: Date?) -> Int {
    state.withLock { state in
      state.last += 1
      state.streams[state.last] = Stream(waker: waker, expiry: expiry, due: .now + heartbeat)
      if state.beat == nil { state.beat = beat() }
      return state.last
    }
  }

  /// Removes a stream.
  func remove(_ number: Int) {
    state.withLock { state in
      state.streams[number] = nil
      guard state.streams.isEmpty else { return }
      state.beat?.cancel()
      state.beat = nil
    }
  }

  /// Returns whether a sign of life and a review are due, once.
  func takeDue(_ number: Int) -> Bool {
    state.withLock { state in
      let isDue = state.streams[number]?.isDue ?? false
      state.streams[number]?.isDue = false
      return isDue
    }
  }

  private func beat() -> Task<Void, Never> {
    Task.detached { [self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        let revision = await access.revision()
        let today = access.now()
        let now = ContinuousClock.now
        state.withLock { state in
          let isChanged = state.revision != nil && state.revision != revision
          state.revision = revision
          for (number, stream) in state.streams {
            let isOver = stream.expiry.map { $0 <= today } ?? false
            guard isChanged || isOver || stream.due <= now else { continue }
            state.streams[number]?.due = now + heartbeat
            state.streams[number]?.isDue = true
            stream.waker.yield()
          }
        }
      }
    }
  }
}
