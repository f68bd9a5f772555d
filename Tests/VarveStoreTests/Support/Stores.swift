import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// What the tests run on.
enum Engine: String, CaseIterable, Sendable {
  case reference
  case memory
  case file

  /// Those whose content outlives the store, which may be opened again.
  static let reopened: [Engine] = [.reference, .file]
}

/// Creates an empty store whose clock does not advance until it is moved.
func makeStore(
  _ engine: Engine,
  clock: TestClock = TestClock(),
  adjust: (inout Store.Configuration) -> Void = { _ in }
) async throws -> Store {
  var configuration = Store.Configuration()
  configuration.wallMilliseconds = clock.reading()
  adjust(&configuration)
  switch engine {
  case .reference:
    let backend = ReferenceBackend(wallMilliseconds: configuration.wallMilliseconds)
    return Store(backend: backend, configuration: configuration)
  case .memory: return try await Store.open(.inMemory, configuration: configuration)
  case .file:
    let path = TestFiles.directory + "/\(UUID().uuidString).varve"
    if configuration.isReadOnly { try await Store.open(path).close() }
    return try await Store.open(path, configuration: configuration)
  }
}

/// A directory for the stores of one run, removed at its end.
private enum TestFiles {
  static let directory: String = {
    let path =
      NSTemporaryDirectory() + "varve-store-tests-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: TestFiles.directory) }
    return path
  }()
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
