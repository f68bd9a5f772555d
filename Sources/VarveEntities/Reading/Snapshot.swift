import Synchronization
public import VarveCore

/// One state of a store for several reads, which ``Store/read(_:)`` passes to its closure.
///
/// Valid until the closure returns; later use throws `transactionEnded`. Concurrent tasks may share
/// it; their reads are serialised.
public final class Snapshot: Reading {
  private let turnstile: Turnstile<any BackendReader>
  private let rules: ReadingRules
  private let streams = Mutex<[PageChannel]>([])

  private init(_ reader: Turnstile<any BackendReader>, _ rules: ReadingRules) {
    turnstile = reader
    self.rules = rules
  }

  /// Calls a closure with a snapshot, then ends the snapshot.
  static func with<Result>(
    _ reader: any BackendReader,
    _ rules: ReadingRules,
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    try await reader.pin()
    let turnstile = Turnstile<any BackendReader>(reader, name: "snapshot")
    let snapshot = Snapshot(turnstile, rules)
    do {
      let result = try await body(snapshot)
      await snapshot.end(turnstile)
      return result
    } catch {
      await snapshot.end(turnstile)
      throw error
    }
  }

  /// Stops the streams, which keep statements of the reader open, before the reader is released.
  private func end(_ turnstile: Turnstile<any BackendReader>) async {
    for pages in streams.withLock({ $0 }) {
      pages.close(turnstile.ended)
      await pages.producerEnd()
    }
    await turnstile.end()
  }

  /// Reads the state. The closure must not use the snapshot again.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try await turnstile.pass { try await body(StateReader(reader: $0, rules: rules)) }
  }

  /// Streams the entities that a query matches. See ``Reading/stream(_:pageSize:)``.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      try await turnstile.pass { reader in
        pages.follow(rules)
        streams.withLock { $0.append(pages) }
        try await reader.fetch(query, pageSize: size) { page in
          await turnstile.stepAside { await pages.offer(page) }
        }
      }
    }
  }
}
