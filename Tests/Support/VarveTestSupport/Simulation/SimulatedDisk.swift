import Synchronization
package import VarveCore

/// The storage of the stores of a simulation, by number.
package protocol SimulatedDisk: Sendable {
  /// Opens a store, which is empty if there is none with the number.
  func open(_ number: Int, wallMilliseconds: @escaping @Sendable () -> Int64) async throws
    -> any Backend

  /// Copies a closed store over another one.
  func copy(_ number: Int, to other: Int) throws
}

/// A disk that keeps the logs of reference backends in memory.
package final class ReferenceDisk: SimulatedDisk {
  private let backends = Mutex<[Int: ReferenceBackend]>([:])
  private let remembers: @Sendable (Int) -> Bool

  /// - Parameter remembers: stores that keep redacted cells, as a planted fault; none by default.
  package init(remembering remembers: @escaping @Sendable (Int) -> Bool = { _ in false }) {
    self.remembers = remembers
  }

  package func open(
    _ number: Int,
    wallMilliseconds: @escaping @Sendable () -> Int64
  ) async throws -> any Backend {
    backends.withLock { backends in
      let backend =
        backends[number]?.reopened(wallMilliseconds: wallMilliseconds)
        ?? ReferenceBackend(
          wallMilliseconds: wallMilliseconds,
          forgetting: { [remembers] _ in !remembers(number) }
        )
      backends[number] = backend
      return backend
    }
  }

  package func copy(_ number: Int, to other: Int) throws {
    backends.withLock { $0[other] = $0[number]?.reopened { 0 } }
  }
}
