import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An empty store, whose clock stands still until it is moved.
func makeStore(
  clock: TestClock = TestClock(),
  adjust: (inout Store.Configuration) -> Void = { _ in }
) async throws -> Store {
  var configuration = Store.Configuration()
  configuration.wallMilliseconds = clock.reading()
  adjust(&configuration)
  let backend = ReferenceBackend(wallMilliseconds: configuration.wallMilliseconds)
  return Store(backend: backend, configuration: configuration)
}

/// What a body throws, or nil.
func failure(
  _ body: () async throws -> Void
) async -> VarveError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? VarveError
  }
}

extension Store {
  /// Creates entities of type `node`.
  func createNodes(_ ids: EntityID...) async throws {
    try await write { tx in for id in ids { try await tx.create("node", id: id) } }
  }

  /// Declares ownership: owner, owned.
  func own(_ pairs: (EntityID, EntityID)...) async throws {
    try await write { tx in
      for (owner, owned) in pairs { try await tx.relate(owner, .owns, owned) }
    }
  }

  /// Which of some entities are live.
  func live(_ ids: EntityID...) async throws -> [EntityID] {
    try await entities(ids).compactMap { $0?.id }
  }

  /// How many commits there are.
  func commitCount() async throws -> Int { try await log().count }
}

extension Date {
  /// A date, in seconds after what a fresh `TestClock` shows.
  static func test(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }
}
