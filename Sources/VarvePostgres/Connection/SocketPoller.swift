import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits for sockets on a thread of its own, so that no thread of Swift's pool blocks.
final class SocketPoller: Sendable {
  static let shared = SocketPoller()

  /// What a waiter waits for.
  enum Interest {
    case reading
    case writing
    case both

    fileprivate var events: Int16 {
      switch self {
      case .reading: Int16(POLLIN)
      case .writing: Int16(POLLOUT)
      case .both: Int16(POLLIN | POLLOUT)
      }
    }
  }

  /// How a wait ended.
  enum Outcome {
    /// The socket can be used, or is broken.
    case ready
    /// The deadline passed.
    case late
    /// The task was cancelled.
    case cancelled
  }

  private struct Waiter {
    let socket: Int32
    let events: Int16
    let deadline: ContinuousClock.Instant?
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State {
    var nextID: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
    /// The waits that were cancelled before they began.
    var withdrawn: Set<UInt64> = []
    var isWoken = false
  }

  private let state = Mutex(State())
  /// A pipe whose bytes interrupt the polling.
  private let bell: (reading: Int32, writing: Int32)

  private init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "the process has no file descriptors left")
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = (ends[0], ends[1])
    let thread = Thread { [unowned self] in
      while true { poll() }
    }
    thread.name = "varve postgres"
    thread.start()
  }

  /// Waits until a socket can be used.
  ///
  /// - Parameter isCancellable: whether cancelling the task ends the wait.
  func wait(
    _ socket: Int32,
    for interest: Interest,
    until deadline: ContinuousClock.Instant?,
    isCancellable: Bool
  ) async -> Outcome {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    func enter() async -> Outcome {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(
          socket: socket,
          events: interest.events,
          deadline: deadline,
          continuation: continuation
        )
        let isWithdrawn = state.withLock { state in
          if state.withdrawn.remove(id) != nil { return true }
          state.waiters[id] = waiter
          return false
        }
        if isWithdrawn { continuation.resume(returning: .cancelled) } else { ring() }
      }
    }
    guard isCancellable else { return await enter() }
    let outcome = await withTaskCancellationHandler {
      await enter()
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter == nil { state.withdrawn.insert(id) }
        return waiter
      }
      waiter?.continuation.resume(returning: .cancelled)
    }
    // The task may have been cancelled after the wait.
    state.withLock { _ = $0.withdrawn.remove(id) }
    return outcome
  }

  private func ring() {
    let wasWoken = state.withLock { state in
      defer { state.isWoken = true }
      return state.isWoken
    }
    guard !wasWoken else { return }
    var byte: UInt8 = 1
    _ = write(bell.writing, &byte, 1)
  }

  /// Polls once.
  private func poll() {
    let waiting = state.withLock { $0.waiters.map { ($0.key, $0.value) } }
    var polled = [pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0)]
    polled += waiting.map { pollfd(fd: $0.1.socket, events: $0.1.events, revents: 0) }
    let first = waiting.compactMap { $0.1.deadline }.min()
    let result = pollSockets(&polled, until: first)
    if polled[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(bell.reading, &bytes, bytes.count) > 0 {}
      // The flag falls last. Falling first, it would stay up if the bell rang before its byte was read
      // away. Who entered meanwhile is among the next waiters.
      state.withLock { $0.isWoken = false }
    }
    let now = ContinuousClock.now
    for (place, (id, waiter)) in waiting.enumerated() {
      let isReady = result > 0 && polled[place + 1].revents != 0
      let isLate = waiter.deadline.map { $0 <= now } ?? false
      guard isReady || isLate else { continue }
      let ended = state.withLock { $0.waiters.removeValue(forKey: id) }
      ended?.continuation.resume(returning: isReady ? .ready : .late)
    }
  }

  private func pollSockets(
    _ polled: inout [pollfd],
    until deadline: ContinuousClock.Instant?
  ) -> Int32 {
    var milliseconds: Int32 = -1
    if let deadline {
      let left = (deadline - .now) / .milliseconds(1)
      milliseconds = Int32(max(0, min(left.rounded(.up), 60_000)))
    }
    #if canImport(Darwin)
      return Darwin.poll(&polled, nfds_t(polled.count), milliseconds)
    #elseif canImport(Glibc)
      return Glibc.poll(&polled, nfds_t(polled.count), milliseconds)
    #else
      return Musl.poll(&polled, nfds_t(polled.count), milliseconds)
    #endif
  }
}
