import Synchronization
import VarveCore
import VarveStore
import VarveSync

/// Announces the place after the last arrival of a space to everyone who follows it.
///
/// One task watches the space, however many follow it: it sleeps until a commit arrives in this
/// process, and looks once a second for those of other processes. A follower is only woken, so at
/// most one announcement waits for it however slow it is.
final class SpaceAnnouncer: Sendable {
  private struct State {
    var end: SpacePosition?
    var last = 0
    var followers: [Int: AsyncStream<Void>.Continuation] = [:]
    var watch: Task<Void, Never>?
  }

  private let store: Store
  private let read: @Sendable () async throws -> SpacePosition
  private let state = Mutex(State())

  /// The time between two looks for commits of other processes.
  private static let pollInterval = Duration.seconds(1)
  /// The shortest time between two announcements.
  private static let pause = Duration.milliseconds(4)

  init(_ store: Store, read: @escaping @Sendable () async throws -> SpacePosition) {
    self.store = store
    self.read = read
  }

  /// The place after the last arrival, as far as it is known; nil before the first look.
  var end: SpacePosition? { state.withLock { $0.end } }

  /// Wakes a continuation whenever the place changes, until the returned number is removed. It ends
  /// with the store.
  func follow(_ follower: AsyncStream<Void>.Continuation) -> Int {
    state.withLock { state in
      state.last += 1
      state.followers[state.last] = follower
      if state.watch == nil { state.watch = watch() }
      if state.end != nil { follower.yield() }
      return state.last
    }
  }

  /// Removes a follower. The watch ends with the last.
  func leave(_ number: Int) {
    state.withLock { state in
      state.followers[number] = nil
      guard state.followers.isEmpty else { return }
      state.watch?.cancel()
      state.watch = nil
      state.end = nil
    }
  }

  private func watch() -> Task<Void, Never> {
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = store.arrivals.add(signal)
    return Task.detached { [self] in
      let poll = Task {
        while !Task.isCancelled {
          signal.yield()
          try? await Task.sleep(for: Self.pollInterval)
        }
      }
      defer {
        poll.cancel()
        store.arrivals.remove(number)
      }
      for await _ in signals where !Task.isCancelled {
        do {
          guard announce(try await read()) else { continue }
          try await Task.sleep(for: Self.pause)
        } catch let error as VarveError where error.code == .busy {
          continue
        } catch {
          return finish()
        }
      }
    }
  }

  /// Wakes the followers if the place is a new one.
  private func announce(_ end: SpacePosition) -> Bool {
    state.withLock { state in
      guard state.end != end, !Task.isCancelled else { return false }
      state.end = end
      for follower in state.followers.values { follower.yield() }
      return true
    }
  }

  /// Ends all followers, unless the watch was replaced by another.
  private func finish() {
    guard !Task.isCancelled else { return }
    let followers = state.withLock { state in
      defer { state = State(last: state.last) }
      return state.followers.values.map { $0 }
    }
    for follower in followers { follower.finish() }
  }
}
