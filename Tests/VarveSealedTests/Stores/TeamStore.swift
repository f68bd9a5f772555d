import Synchronization
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveTestSupport

/// Secrets in memory.
final class MemoryKeyStore: KeyStore {
  private let secrets = Mutex<[KeyName: Secret]>([:])

  /// Returns another store with the same secrets.
  func copy() -> MemoryKeyStore {
    let copy = MemoryKeyStore()
    let all = secrets.withLock { $0 }
    copy.secrets.withLock { $0 = all }
    return copy
  }

  func secret(named name: KeyName) throws -> Secret? { secrets.withLock { $0[name] } }

  func keep(_ secret: Secret, named name: KeyName) throws {
    secrets.withLock { $0[name] = secret }
  }

  func removeSecret(named name: KeyName) throws { secrets.withLock { $0[name] = nil } }
}

/// The stores of a sealed space.
struct TeamStore {
  let store: Store
  let keys: MemoryKeyStore

  /// Opens an empty store of a device.
  static func device(
    _ location: Store.Location = .inMemory,
    keys: MemoryKeyStore = MemoryKeyStore(),
    clock: TestClock? = nil
  ) async throws -> TeamStore {
    var configuration = Store.Configuration()
    configuration.seal = try .member(with: DeviceKeys(keys))
    if let clock { configuration.wallMilliseconds = clock.reading() }
    return TeamStore(
      store: try await Store.open(location, configuration: configuration),
      keys: keys
    )
  }

  /// Opens an empty relay.
  static func relay(_ location: Store.Location = .inMemory) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    return try await Store.open(location, configuration: configuration)
  }

  /// Opens a store and seals it.
  static func sealed(
    _ location: Store.Location = .inMemory,
    clock: TestClock? = nil
  ) async throws -> TeamStore {
    let team = try await device(location, clock: clock)
    _ = try await team.store.sealSpace()
    return team
  }

  /// Opens a store that joins the space of another device, directly.
  static func joining(
    _ admin: TeamStore,
    as role: MemberRole = .writer,
    _ location: Store.Location = .inMemory,
    clock: TestClock? = nil
  ) async throws -> TeamStore {
    let new = try await device(location, clock: clock)
    try await new.store.join(try await admin.store.invite(role))
    try await new.store.sync(with: admin.store)
    return new
  }

  /// Opens a store that joins the space of another device through a relay.
  static func joining(
    _ admin: TeamStore,
    as role: MemberRole = .writer,
    through relay: Store,
    clock: TestClock? = nil
  ) async throws -> TeamStore {
    let new = try await device(clock: clock)
    try await new.store.join(try await admin.store.invite(role))
    try await new.store.sync(with: relay)
    try await admin.store.sync(with: relay)
    try await new.store.sync(with: relay)
    return new
  }

  var id: String {
    get async throws {
      let own = try await store.members().first { $0.isThisDevice }
      return try #require(own).id
    }
  }
}

/// Verifies that stores show the same hats, and that their tables follow from their logs.
func expectEqual(_ stores: Store..., sourceLocation: SourceLocation = #_sourceLocation) async throws
{
  var expected: [String]?
  for store in stores {
    let hats = try await describedHats(store)
    #expect(hats == expected ?? hats, sourceLocation: sourceLocation)
    expected = expected ?? hats
    let report = try await store.check()
    #expect(report.isClean, "\(report.findings)", sourceLocation: sourceLocation)
    try await store.rebuild()
    let rebuilt = try await describedHats(store)
    #expect(rebuilt == hats, sourceLocation: sourceLocation)
  }
}

/// Describes the hats of a store.
func describedHats(_ store: Store) async throws -> [String] {
  try await store.fetch(Query("Hat")).map { hat in
    let values = hat.properties.map { "\($0.key)=\($0.value.value)" }.sorted()
    return "\(hat.id) \(values.joined(separator: " "))"
  }.sorted()
}

extension Store {
  /// Returns the commits as they are stored and sent.
  func commits() async throws -> [Commit] {
    try await readableLog().items(
      beyond: .empty,
      atMost: 1 << 20,
      wholeUpTo: 1 << 20,
      outline: nil
    ).compactMap { item in
      if case .commit(let commit) = item { commit } else { nil }
    }
  }
}
