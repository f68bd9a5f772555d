import Dispatch
import Foundation
import Synchronization
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Writers that wait for the disk")
struct GroupCommitTests {
  /// A disk whose flushes begin when the test permits it.
  private final class Disk: Sendable {
    struct Failure: Error {}
    private let state = Mutex((flushCount: 0, fails: false))
    private let permit = DispatchSemaphore(value: 0)
    /// The number of writers that continued.
    let acknowledged = Atomic(0)

    var flushCount: Int { state.withLock { $0.flushCount } }

    func permit(_ count: Int = 1) { for _ in 0..<count { permit.signal() } }

    func fail() { state.withLock { $0.fails = true } }

    func flush() throws {
      let fails = state.withLock { state in
        state.flushCount += 1
        return state.fails
      }
      permit.wait()
      if fails { throw Failure() }
    }
  }

  private func open(_ path: String, _ disk: Disk) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.isSynchronized = true
    configuration.flush = { try disk.flush() }
    return try await SQLiteBackend.open(.file(path), configuration: configuration)
  }

  private func commitCount(_ backend: SQLiteBackend) async throws -> Int {
    try await backend.read(at: .now) { try await $0.log(limit: nil, offset: 0).count }
  }

  @Test func `share one flush, and none continues before a flush that covers its commit`()
    async throws
  {
    let (scratch, disk) = (try Scratch(), Disk())
    let backend = try await open(scratch.path("store"), disk)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<64 {
        group.addTask {
          try await backend.create(EntityID(unchecked: "hat-\(number)"), "Hat")
          disk.acknowledged.wrappingAdd(1, ordering: .relaxed)
        }
      }
      // The first flush covers the first writers only, and holds up no other commit.
      while try await commitCount(backend) < 64 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(disk.acknowledged.load(ordering: .relaxed) == 0)
      #expect(disk.flushCount == 1)
      disk.permit(64)
      try await group.waitForAll()
    }
    #expect(disk.acknowledged.load(ordering: .relaxed) == 64)
    // On a busy machine some tasks arrive after the second flush began, and share later ones.
    #expect(disk.flushCount < 32)
    try await backend.close()
  }

  @Test
  func `all learn of a flush that failed, and so do later ones until the store is opened again`()
    async throws
  {
    let (scratch, disk) = (try Scratch(), Disk())
    let path = scratch.path("store")
    let backend = try await open(path, disk)
    disk.fail()
    let errors = await withTaskGroup(of: VarveError?.self) { group in
      for number in 0..<8 {
        group.addTask {
          await failure { try await backend.create(EntityID(unchecked: "hat-\(number)"), "Hat") }
        }
      }
      disk.permit(8)
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.allSatisfy { $0?.code == .outcomeUnknown && $0?.commit != nil })
    #expect(await failure { try await backend.create("later", "Hat") }?.code == .outcomeUnknown)
    #expect(await failure { try await backend.flush() }?.code == .inputOutput)
    #expect(disk.flushCount == 1)
    try await backend.close()
    let again = try await openBackend(path)
    #expect(try await commitCount(again) == 9)
    #expect(try await again.findings() == [])
    try await again.close()
  }

  @Test func `writers that wait for the disk wait for no flush if they wrote nothing`() async throws
  {
    let (scratch, disk) = (try Scratch(), Disk())
    let backend = try await open(scratch.path("store"), disk)
    try await backend.write([])
    #expect(disk.flushCount == 0)
    try await backend.close()
  }
}
