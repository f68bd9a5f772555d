import Synchronization
import VarveCore

/// Whether a store is suspended: then it has no file open, and refuses all calls.
final class Suspension: Sendable {
  private let flag = Atomic<Bool>(false)

  var isOn: Bool { flag.load(ordering: .acquiring) }

  func begin() { flag.store(true, ordering: .releasing) }

  /// Ends the suspension. Returns whether there was one.
  func end() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }

  /// Throws while the store is suspended.
  ///
  /// - Throws: ``VarveError`` with code `suspended`.
  func refuse(at place: String) throws {
    if isOn { throw Self.error(at: place) }
  }

  static func error(at place: String) -> VarveError {
    VarveError(.suspended, "the store is suspended", at: place)
  }
}

extension Session {
  /// Throws once the store is suspended. Long transactions call it, so that they end soon.
  func requireRunning() throws {
    // The place is looked up only for the error: this is called for every cell.
    guard let suspension = connection.interrupter.suspension, suspension.isOn else { return }
    throw Suspension.error(at: connection.place)
  }
}

extension SQLiteBackend {
  package func suspend(patienceMilliseconds: Int) async throws {
    try checkNotClosed()
    guard mayIdle else { return }
    configuration.suspension.begin()
    wake.withLock { task in
      task?.cancel()
      task = nil
    }
    for probe in probes.withLock({ $0 }) { probe.release() }
    readers.suspend()
    let deadline = ContinuousClock.now + .milliseconds(patienceMilliseconds)
    guard try await lock.lock(patienceMilliseconds: patienceMilliseconds) else {
      throw stillUsed(for: patienceMilliseconds, by: "write")
    }
    closeWriter()
    lock.unlock()
    while readers.activeCount > 0 {
      guard ContinuousClock.now < deadline else {
        throw stillUsed(for: patienceMilliseconds, by: "read")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  package func resume() async throws {
    try checkNotClosed()
    guard configuration.suspension.end() else { return }
    readers.resume()
    for probe in probes.withLock({ $0 }) { probe.reclaim() }
    guard !configuration.isReadOnly else { return }
    try await wakeForWithheld()
  }

  private func stillUsed(for milliseconds: Int, by call: String) -> VarveError {
    VarveError(
      .busy,
      "a \(call) that had begun did not end within \(milliseconds) ms",
      at: place,
      remedy: "The file is released when it ends. Do not wait for anything else inside its closure."
    )
  }
}
