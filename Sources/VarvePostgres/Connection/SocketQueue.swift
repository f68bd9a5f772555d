import CPostgres
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

#if os(Linux)
/// The sockets that are waited for. The kernel keeps the list, so a socket is added without
/// an interruption of the wait.
final class SocketQueue: Sendable {
  private let handle: Int32

  init() {
    handle = epoll_create1(Int32(EPOLL_CLOEXEC))
    precondition(handle >= 0, "the process has no file descriptors left")
  }

  /// Adds a wait, which ends once. Returns false if the socket cannot be waited for.
  func add(_ socket: Int32, _ interest: SocketPoller.Interest, _ id: UInt64) -> Bool {
    var event = epoll_event()
    event.events = interest.events | EPOLLONESHOT.rawValue
    event.data.u64 = id
    // A socket stays in the list after a wait, until it is closed.
    if epoll_ctl(handle, EPOLL_CTL_MOD, socket, &event) == 0 { return true }
    return epoll_ctl(handle, EPOLL_CTL_ADD, socket, &event) == 0
  }

  /// Removes a wait that has ended. One that ended otherwise may still be returned, once.
  func remove(_ socket: Int32, _ id: UInt64) {}

  /// Waits until some sockets can be used, and returns their waits. One thread calls it.
  func next() -> [UInt64] {
    let capacity = 64
    return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
      let count = epoll_wait(handle, events.baseAddress, Int32(capacity), -1)
      return (0..<max(0, Int(count))).map { events[$0].data.u64 }
    }
  }
}

extension SocketPoller.Interest {
  fileprivate var events: UInt32 {
    switch self {
    case .reading: EPOLLIN.rawValue
    case .writing: EPOLLOUT.rawValue
    case .both: EPOLLIN.rawValue | EPOLLOUT.rawValue
    }
  }
}
#else
/// The sockets that are waited for.
final class SocketQueue: Sendable {
  private struct Wait {
    let socket: Int32
    let events: Int16
  }

  private struct State {
    var waits: [UInt64: Wait] = [:]
    var isWoken = false
  }

  private let state = Mutex(State())
  /// A pipe whose bytes interrupt the polling.
  private let bell: (reading: Int32, writing: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "the process has no file descriptors left")
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = (ends[0], ends[1])
  }

  /// Adds a wait, which ends once. Returns false if the socket cannot be waited for.
  func add(_ socket: Int32, _ interest: SocketPoller.Interest, _ id: UInt64) -> Bool {
    let mustRing = state.withLock { state in
      state.waits[id] = Wait(socket: socket, events: interest.events)
      defer { state.isWoken = true }
      return !state.isWoken
    }
    guard mustRing else { return true }
    var byte: UInt8 = 1
    _ = write(bell.writing, &byte, 1)
    return true
  }

  /// Removes a wait that has ended.
  func remove(_ socket: Int32, _ id: UInt64) {
    state.withLock { _ = $0.waits.removeValue(forKey: id) }
  }

  /// Waits until some sockets can be used, and returns their waits. One thread calls it.
  func next() -> [UInt64] {
    let waiting = state.withLock { Array($0.waits) }
    var polled = [pollfd(fd: bell.reading, events: Int16(POLLIN), revents: 0)]
    polled += waiting.map { pollfd(fd: $0.value.socket, events: $0.value.events, revents: 0) }
    guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return [] }
    if polled[0].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(bell.reading, &bytes, bytes.count) > 0 {}
      // The flag falls last. Falling first, it would stay up if the bell rang before its byte was
      // read away. Who entered meanwhile is among the next waiters.
      state.withLock { $0.isWoken = false }
    }
    let ready = zip(waiting, polled.dropFirst()).filter { $0.1.revents != 0 }.map(\.0.key)
    state.withLock { state in for id in ready { state.waits[id] = nil } }
    return ready
  }
}

extension SocketPoller.Interest {
  fileprivate var events: Int16 {
    switch self {
    case .reading: Int16(POLLIN)
    case .writing: Int16(POLLOUT)
    case .both: Int16(POLLIN | POLLOUT)
    }
  }
}
#endif
