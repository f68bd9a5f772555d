import Foundation
import Synchronization
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Tasks that read in a loop", .serialized)
struct FairTurnTests {
  private final class Meter: Sendable {
    let isDone = Atomic(false)
    let readCount = Atomic(0)
  }

  @Test(arguments: Kind.allCases)
  func `tasks that read in a loop let others have their turn`(kind: Kind) async throws {
    let scratch = try Scratch()
    let backend = try await kind.open(scratch)
    try await backend.create("hat", "Hat", ["size": 1])
    let meter = Meter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          // Without turns, the first readers would keep all threads until they have read enough.
          while !meter.isDone.load(ordering: .relaxed),
            meter.readCount.load(ordering: .relaxed) < 20_000
          {
            _ = try await backend.read(at: .now) { try await $0.entity("hat") }
            meter.readCount.wrappingAdd(1, ordering: .relaxed)
          }
        }
      }
      group.addTask {
        for number in 0..<5 { try await backend.set("hat", "size", .int(Int64(number))) }
        meter.isDone.store(true, ordering: .relaxed)
      }
      try await group.waitForAll()
    }
    #expect(meter.readCount.load(ordering: .relaxed) < 20_000)
    try await backend.close()
  }

  @Test(arguments: Kind.allCases)
  @MainActor
  func `tasks that read in a loop let the main actor's other jobs run`(kind: Kind) async throws {
    let scratch = try Scratch()
    let backend = try await kind.open(scratch)
    try await backend.create("hat", "Hat", ["size": 1])
    let meter = Meter()
    Task { @MainActor in meter.isDone.store(true, ordering: .relaxed) }
    // Without turns, this task would keep the actor until it has read enough.
    while !meter.isDone.load(ordering: .relaxed),
      meter.readCount.load(ordering: .relaxed) < 20_000
    {
      _ = try await backend.read(at: .now) { try await $0.entity("hat") }
      meter.readCount.wrappingAdd(1, ordering: .relaxed)
      MainActor.assertIsolated()
    }
    #expect(meter.readCount.load(ordering: .relaxed) < 20_000)
    try await backend.close()
  }
}
