import Foundation
import Synchronization
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Several copies of a store and their open sessions: two files, one of which has several sessions,
/// and a reference backend.
final class StoreFleet {
  struct Session {
    let copy: Int
    let backend: any Backend
    let store: Store
  }

  /// The storage of a copy.
  enum Keeping {
    case file
    case memory
    case reference
  }

  let clock = TestClock()
  let guardian = Guardian()
  private(set) var sessions: [Session] = []
  private let replicas: [ReplicaID]
  private let folder: URL
  private let copies: [Copy]
  private let fault: ReferenceFault?
  /// How far the clock of each copy has jumped.
  private let jumps = ClockJumps()

  /// A copy: the number of its sessions, and the error of its clock in milliseconds.
  private struct Copy {
    let keeping: Keeping
    let sessionCount: Int
    let skew: Int64
  }

  /// Returns the total number of sessions if a file has the given number.
  static func sessionCount(onFile count: Int, _ habits: StoreHabits) -> Int {
    count + (habits.contains(.forks) ? 3 : 2)
  }

  /// Returns the number of sessions on the first file, given the total number. Those on the store
  /// in memory and on the reference backend follow.
  static func fileSessionCount(of count: Int, _ habits: StoreHabits) -> Int {
    count - sessionCount(onFile: 0, habits)
  }

  /// Creates a fleet that is not open yet.
  init(_ plan: StorePlan) throws {
    fault = plan.fault
    var copies = [
      Copy(keeping: .file, sessionCount: plan.sessionCount, skew: 0),
      Copy(keeping: .memory, sessionCount: 1, skew: 250),
      Copy(keeping: .reference, sessionCount: 1, skew: -700),
    ]
    if plan.habits.contains(.forks) {
      copies.append(Copy(keeping: .file, sessionCount: 1, skew: 0))
    }
    self.copies = copies
    replicas = Fleet.replicas(count: copies.count, seed: plan.seed)
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open() async throws {
    for (copy, kind) in copies.enumerated() {
      for number in 0..<kind.sessionCount { sessions.append(try await session(copy, number)) }
    }
  }

  /// Closes a session on a file and opens another in its place.
  func reopen(_ index: Int) async throws {
    let old = sessions[index]
    guard copies[old.copy].keeping == .file else { return }
    try await old.store.close()
    let number = sessions[..<index].count { $0.copy == old.copy }
    sessions[index] = try await session(old.copy, number)
  }

  /// Returns how a copy is stored.
  func keeping(ofSession index: Int) -> Keeping { copies[sessions[index].copy].keeping }

  /// Moves the clock of one copy.
  func jump(_ index: Int, milliseconds: Int64) {
    let copy = sessions[index].copy
    jumps.milliseconds.withLock { $0[copy, default: 0] += milliseconds }
  }

  /// Copies the first file over the last. Returns the number of its copy, or nil if there is none.
  func fork() async throws -> Int? {
    guard let last = copies.indices.last, last > 2 else { return nil }
    let indices = sessions.indices.filter { [0, last].contains(sessions[$0].copy) }
    for index in indices { try await sessions[index].store.close() }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path(last) + suffix)
    }
    try FileManager.default.copyItem(atPath: path(0), toPath: path(last))
    for index in indices {
      let copy = sessions[index].copy
      let number = sessions[..<index].count { $0.copy == copy }
      sessions[index] = try await session(copy, number)
    }
    return last
  }

  private func path(_ copy: Int) -> String { folder.appendingPathComponent("\(copy).varve").path }

  func close() async throws {
    for session in sessions { try await session.store.close() }
  }

  private func session(_ copy: Int, _ number: Int) async throws -> Session {
    let kind = copies[copy]
    let wall: @Sendable () -> Int64 = { [clock, jumps] in
      clock.now + kind.skew + jumps.milliseconds.withLock { $0[copy] ?? 0 }
    }
    var backend: any Backend
    switch kind.keeping {
    case .reference:
      backend = ReferenceBackend(
        replica: replicas[copy],
        wallMilliseconds: wall,
        fault: fault
      )
    case .file, .memory:
      var configuration = SQLiteBackend.Configuration()
      configuration.wallMilliseconds = wall
      configuration.replica = replicas[copy]
      // Some copies sort in their touches at once, some never.
      if number % 2 == 1 || kind.keeping == .memory { configuration.touchCapacity = 6 }
      backend = try await SQLiteBackend.open(
        kind.keeping == .file ? .file(path(copy)) : .inMemory,
        configuration: configuration
      )
    }
    var configuration = Store.Configuration()
    configuration.wallMilliseconds = wall
    let store = Store(backend: backend, configuration: configuration)
    store.willErase { [guardian] entity, _ in try guardian.examine(entity.id) }
    return Session(copy: copy, backend: backend, store: store)
  }
}

/// How far the clock of each copy has jumped.
private final class ClockJumps: Sendable {
  let milliseconds = Mutex<[Int: Int64]>([:])
}

/// Vetoes the death of one entity.
final class Guardian: Sendable {
  struct Veto: Error {}

  private let ward = Mutex<EntityID?>(nil)

  func protect(_ id: EntityID?) { ward.withLock { $0 = id } }

  func examine(_ id: EntityID) throws {
    if ward.withLock({ $0 }) == id { throw Veto() }
  }
}
