import VarveCore
import VarveTestSupport

/// A store in memory of which a test replaces some operations.
protocol BackendDecorator: Backend, CommitLogDecorator {
  var inner: ReferenceBackend { get }
}

extension BackendDecorator {
  var base: any CommitLog { inner }
  var follower: (any HomeFollower)? { inner.follower }

  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    try await inner.read(at: moment, body)
  }

  func readLives<Result>(
    at frontier: Frontier,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    try await inner.readLives(at: frontier, body)
  }

  func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?) {
    try await inner.write(request, body)
  }

  func addIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    try await inner.addIndex(on: keys, of: type)
  }

  func removeIndex(on keys: [PropertyKey], of type: EntityType) async throws {
    try await inner.removeIndex(on: keys, of: type)
  }

  func storage() async throws -> StorageSizes { try await inner.storage() }

  func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport {
    try await inner.check(progress)
  }

  func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws {
    try await inner.rebuild(progress)
  }

  func close() async throws { try await inner.close() }
}
