import Foundation
import Synchronization
import VarveCore

/// The stores of this process that have connections, and the memory that these share.
///
/// Few stores are used at a time, however many are open. So only those used last keep connections.
/// The others close theirs, with caches, prepared statements and descriptors, until they are used
/// again.
package final class OpenStores: Sendable {
  /// Those of programs. Tests have others.
  package static let shared = OpenStores()

  /// A backend that was released without being closed keeps its entry until others displace it.
  /// The lock's holder must not be the last to release one, because that closes connections.
  private final class Entry {
    weak var backend: SQLiteBackend?
    /// The number of its last use.
    var use: UInt64

    init(_ backend: SQLiteBackend, _ use: UInt64) {
      self.backend = backend
      self.use = use
    }
  }

  private struct State {
    var budget = defaultBudget
    /// The stores with connections.
    var warm: [ObjectIdentifier: Entry] = [:]
    var useCount: UInt64 = 0
    var connectionCount = 0
    /// The share that idle connections were last limited to.
    var appliedShare = Int.max
  }

  private let state = Mutex(State())
  /// The number of stores that keep connections, if it is fixed.
  private let fixedCapacity: Int?
  /// The store used last, so that its next use costs nothing.
  private let latest = Atomic<UInt>(0)
  /// The number of bytes that each connection may use for pages.
  private let share = Atomic<Int>(largestShare)

  /// The budget of a process that sets none: a 32nd of the memory there is, and little in an extension,
  /// which the system ends if it takes more than some ten MiB.
  private static let defaultBudget: Int = {
    guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return 16 << 20 }
    let memory = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    return min(512 << 20, max(32 << 20, memory / 32))
  }()

  private static let largestShare = 64 << 20
  private static let smallestShare = 512 << 10
  /// What a store in use takes, roughly.
  private static let storeByteCount = 8 << 20
  /// The descriptors that a store in use takes, roughly, with room for other uses of the process.
  private static let storeDescriptorCount = 24

  /// - Parameter capacity: the number of stores that keep connections; nil for one that depends on
  ///   the memory and the descriptors there are.
  package init(capacity: Int? = nil) { fixedCapacity = capacity }

  /// The number of connections that are open.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// The number of bytes that the page caches of all connections may use together.
  package var budget: Int {
    get { state.withLock { $0.budget } }
    set {
      let cooled = state.withLock { state in
        state.budget = max(newValue, 0)
        updateShare(state)
        return takeColdest(&state)
      }
      for backend in cooled { backend.closeIdleConnections() }
      limitIdleConnections()
    }
  }

  /// The number of bytes that a connection may use for pages.
  package var connectionShare: Int { share.load(ordering: .relaxed) }

  /// The number of stores that keep connections.
  private func capacity(_ state: State) -> Int {
    if let fixedCapacity { return fixedCapacity }
    let byMemory = state.budget / Self.storeByteCount
    return max(4, min(byMemory, Self.descriptorLimit / Self.storeDescriptorCount, 1_024))
  }

  /// The number of files that the process may have open.
  private static let descriptorLimit: Int = {
    var limit = rlimit()
    #if canImport(Glibc)
    let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    let code = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return code == 0 ? Int(clamping: limit.rlim_cur) : 256
  }()

  // MARK: Uses

  /// Records that a store in a file was used. Closes the connections of others if too many have
  /// some. The caller holds no lock of a store.
  func noteUse(of backend: SQLiteBackend) {
    let id = ObjectIdentifier(backend)
    let number = UInt(bitPattern: id)
    guard latest.load(ordering: .relaxed) != number else { return }
    let (cooled, isSmaller) = state.withLock { state in
      state.useCount += 1
      // The entry under its address may be that of a backend that was released.
      if let entry = state.warm[id], entry.backend === backend {
        entry.use = state.useCount
      } else {
        state.warm[id] = Entry(backend, state.useCount)
      }
      latest.store(number, ordering: .relaxed)
      return (takeColdest(&state), connectionShare < state.appliedShare)
    }
    for backend in cooled { backend.closeIdleConnections() }
    if isSmaller { limitIdleConnections() }
  }

  /// Records that a store was closed.
  func noteClosing(of backend: SQLiteBackend) {
    let id = ObjectIdentifier(backend)
    state.withLock { state in
      state.warm[id] = nil
      latest.store(0, ordering: .relaxed)
    }
  }

  private func takeColdest(_ state: inout State) -> [SQLiteBackend] {
    let excess = state.warm.count - capacity(state)
    guard excess > 0 else { return [] }
    let coldest = state.warm.sorted { $0.value.use < $1.value.use }.prefix(excess)
    for (id, _) in coldest { state.warm[id] = nil }
    return coldest.compactMap(\.value.backend)
  }

  // MARK: Connections

  /// Records that connections were opened or closed.
  func noteConnections(_ change: Int) {
    state.withLock { state in
      state.connectionCount += change
      updateShare(state)
    }
  }

  /// Divides the budget. The share is a power of two, so that it changes rarely.
  private func updateShare(_ state: State) {
    var bytes = Self.largestShare
    while bytes > Self.smallestShare, bytes * state.connectionCount > state.budget { bytes /= 2 }
    share.store(bytes, ordering: .relaxed)
  }

  /// Limits the connections that are idle now; the others limit themselves when they are used.
  private func limitIdleConnections() {
    let backends = state.withLock { state in
      state.appliedShare = connectionShare
      return state.warm.values.compactMap(\.backend)
    }
    for backend in backends { backend.limitIdleConnections() }
  }
}
