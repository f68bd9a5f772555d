#if Server
import NIOCore
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
  /// A place, with the event that announces it: the same bytes go to all who follow.
  struct Announcement: Sendable {
    let end: SpacePosition
    let event: ByteBuffer

    init(_ end: SpacePosition) {
      self.end = end
      event = ByteBuffer(string: "event: head\ndata: \(end.text)\n\n")
    }
  }

  private struct State {
    var announcement: Announcement?
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
  var announcement: Announcement? { state.withLock { $0.announcement } }

  /// Wakes a continuation whenever the place changes, until the returned number is removed. It ends
  /// with the store.
  func follow(_ follower: AsyncStream<Void>.Continuation) -> Int {
    state.withLock { state in
      state.last += 1
      state.followers[state.last] = follower
      if state.watch == nil { state.watch = watch() }
      if state.announcement != nil { follower.yield() }
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
      state.announcement = nil
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
    let announcement = Announcement(end)
    let followers = state.withLock { state -> [AsyncStream<Void>.Continuation]? in
      guard state.announcement?.end != end, !Task.isCancelled else { return nil }
      state.announcement = announcement
      return Array(state.followers.values)
    }
    guard let followers else { return false }
    // Those who wake take the lock, so they are not woken under it.
    for follower in followers { follower.yield() }
    return true
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
#endif
