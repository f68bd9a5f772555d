import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveTestSupport

@Suite("Compactions in a sealed space")
struct SealedCompactionTests {
  private let clock = TestClock()

  /// Makes a space whose admin wrote one hat three times, a day apart.
  private func written() async throws -> TeamStore {
    let ana = try await TeamStore.sealed(clock: clock)
    try await ana.store.create("Hat", id: "h", ["size": 1])
    for size in 2...3 {
      clock.advance(by: 86_400_000)
      try await ana.store.set("h", "size", .int(Int64(size)))
    }
    clock.advance(by: 1_000)
    return ana
  }

  private func sizes(_ store: Store) async throws -> [Value?] {
    try await store.history(of: "h", "size").map(\.value)
  }

  private func yesterday() -> Date {
    Date(timeIntervalSince1970: Double(clock.now) / 1_000 - 3_600)
  }

  @Test func `fold at once where the membership is ordered, and refuse what was before`()
    async throws
  {
    let ana = try await written()
    let report = try await ana.store.compact(before: yesterday())
    #expect(report.cellCount == 1 && report.commit == nil && !report.isPending)
    #expect(try await sizes(ana.store) == [3, 2])
    #expect(try await ana.store.require("h")["size"] == 3)
    #expect(try await ana.store.asOf(yesterday()).entity("h")?["size"] == 2)
    let early = yesterday().addingTimeInterval(-86_400)
    let error = await #expect(throws: VarveError.self) {
      try await ana.store.asOf(early).entity("h")
    }
    #expect(error?.code == .compacted)
    try await expectEqual(ana.store)
    #expect(try await ana.store.compact(before: yesterday()).cellCount == 0)
  }

  @Test func `leave unknown what a value was before, so that an undo skips it`() async throws {
    let ana = try await written()
    let newest = try await ana.store.history(of: "h", "size")[0].commit.id
    let now = Date(timeIntervalSince1970: Double(clock.now) / 1_000)
    clock.advance(by: 1_000)
    #expect(try await ana.store.compact(before: now).cellCount == 2)
    let undone = try await ana.store.undo(newest)
    #expect(undone.skipped.map(\.reason) == [.compacted], "\(undone)")
    #expect(try await sizes(ana.store) == [3])
  }

  @Test func `reach a relay, the members and who joins later`() async throws {
    let ana = try await written()
    let relay = try await TeamStore.relay()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay, clock: clock)
    #expect(try await sizes(ben.store) == [3, 2, 1])
    let report = try await ana.store.compact(before: yesterday())
    #expect(report.cellCount == 1 && report.isPending)
    #expect(try await sizes(ana.store) == [3, 2, 1])
    for member in [ana, ben] { try await member.store.sync(with: relay) }
    let eve = try await TeamStore.joining(ana, as: .reader, through: relay, clock: clock)
    for member in [ana, ben, eve] {
      #expect(try await sizes(member.store) == [3, 2])
      let early = yesterday().addingTimeInterval(-86_400)
      let error = await #expect(throws: VarveError.self) {
        try await member.store.asOf(early).entity("h")
      }
      #expect(error?.code == .compacted)
    }
    try await expectEqual(ana.store, ben.store, eve.store)
    #expect(try await relay.check().findings == [])
  }

  @Test func `are refused to who is no admin`() async throws {
    let ana = try await written()
    let ben = try await TeamStore.joining(ana, clock: clock)
    let error = await #expect(throws: VarveError.self) {
      try await ben.store.compact(before: yesterday())
    }
    #expect(error?.code == .forbidden)
    #expect(try await sizes(ben.store) == [3, 2, 1])
  }
}
