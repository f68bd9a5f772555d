import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Where the store of a test is kept.
enum Kind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case file

  var testDescription: String { "in \(rawValue == "file" ? "a file" : "memory")" }
}

/// Opens a backend with a clock that does not advance until it is moved.
func openBackend(
  _ path: String? = nil,
  clock: TestClock = TestClock(),
  skew: Int64 = 0,
  replica: ReplicaID? = nil,
  touchCapacity: Int = 16_384,
  key: StoreKey? = nil
) async throws -> SQLiteBackend {
  var configuration = SQLiteBackend.Configuration()
  configuration.checksInvariants = true
  configuration.wallMilliseconds = clock.reading(skew: skew)
  configuration.replica = replica
  configuration.touchCapacity = touchCapacity
  configuration.key = key
  return try await SQLiteBackend.open(
    path.map { .file($0) } ?? .inMemory,
    configuration: configuration
  )
}

extension Kind {
  /// Opens a backend of this kind.
  func open(_ scratch: Scratch, clock: TestClock = TestClock()) async throws -> SQLiteBackend {
    try await openBackend(self == .file ? scratch.path("store") : nil, clock: clock)
  }
}

/// What a body throws, or nil.
func failure(_ body: () async throws -> Void) async -> VarveError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? VarveError
  }
}

/// Expects a refusal with a message, a place and a remedy.
func expectRefusal(
  _ codes: VarveError.Code...,
  place isPlaceNeeded: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  guard let error = await failure(body) else {
    Issue.record("nothing was refused with a VarveError", sourceLocation: sourceLocation)
    return
  }
  #expect(codes.contains(error.code), "\(error)", sourceLocation: sourceLocation)
  #expect(error.place != nil || !isPlaceNeeded, "\(error)", sourceLocation: sourceLocation)
  #expect(error.remedy != nil, "\(error)", sourceLocation: sourceLocation)
}

extension Backend {
  /// Writes one commit of operations.
  @discardableResult
  func write(_ operations: [VarveTestSupport.Operation], author: String? = nil) async throws
    -> CommitID?
  {
    let (_, receipt) = try await write(WriteRequest(author: author)) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
    return receipt?.commit.id
  }

  /// Writes one commit of one creation.
  @discardableResult
  func create(
    _ id: EntityID,
    _ type: EntityType,
    _ values: [PropertyKey: Value] = [:]
  ) async throws -> CommitID? {
    let assignments = values.sorted { $0.key < $1.key }.map { Assignment($0.key, $0.value) }
    return try await write([.create(Creation(id, type, assignments))])
  }

  /// Writes one commit of one value.
  @discardableResult
  func set(_ id: EntityID, _ key: PropertyKey, _ value: Value) async throws -> CommitID? {
    try await write([.set(id, Assignment(key, value), time: nil)])
  }

  /// The present value of a property.
  func value(_ id: EntityID, _ key: PropertyKey) async throws -> Value? {
    try await read(at: .now) { try await $0.entity(id)?[key] }
  }

  /// Every commit, in order of stamp.
  func allCommits() async throws -> [Commit] { try await commits(beyond: .empty, atMost: .max) }

  /// What the check finds.
  func findings() async throws -> [String] { try await check { _ in }.findings }
}

extension SQLiteBackend {
  /// Expects the same of this backend, rebuilt, and of a fold of its commits, at some moments.
  func expectFold(
    _ ids: [EntityID] = [],
    at moments: [Moment] = [],
    clock: TestClock,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: self)
    for place in ["as written", "rebuilt"] {
      if place == "rebuilt" { try await rebuild() }
      for moment in [.now] + moments {
        let expected = try await CanonicalExport(of: reference, at: moment, ids: ids)
        let actual = try await CanonicalExport(of: self, at: moment, ids: ids)
        let difference = expected.firstDifference(from: actual)
        #expect(
          difference == nil,
          "\(place) at \(moment): \(difference ?? "")",
          sourceLocation: sourceLocation
        )
      }
      #expect(try await findings() == [], "\(place)", sourceLocation: sourceLocation)
    }
  }
}
