import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Members of a sealed space that synchronise")
struct SealedTeamStoreTests {
  @Test func `members of a sealed space that synchronise are equal afterwards, without a relay`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    let ben = try await TeamStore.joining(ana)
    #expect(try await ben.store.require("h")["color"] == "red")
    try await ben.store.as("ben").set("h", "color", "blue")
    try await ben.store.create("Hat", id: "i", ["color": "grey"])
    try await ana.store.sync(with: ben.store)
    #expect(try await ana.store.require("h")["color"] == "blue")
    #expect(try await ana.store.uncountedCommits() == [])
    try await expectEqual(ana.store, ben.store)
  }

  @Test func `are equal afterwards, through a relay that reads nothing`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.membership().isHome == false)
    let ben = try await TeamStore.joining(ana, through: relay)
    #expect(try await ben.store.require("h")["color"] == "red")
    try await ben.store.set("h", "color", "blue")
    try await ben.store.sync(with: relay)
    try await ana.store.sync(with: relay)
    try await expectEqual(ana.store, ben.store)
    #expect(try await ana.store.require("h")["color"] == "blue")
    #expect(try await relay.fetch(Query("Hat")).isEmpty)
    #expect(try await relay.frontier() == ana.store.frontier())
    #expect(try await relay.check().isClean)
  }

  @Test func `exchange over a stream what they exchange in one process`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    let ben = try await TeamStore.device()
    try await ben.store.join(try await ana.store.invite(.writer))
    try await syncOverStream(ana.store, ben.store)
    try await ben.store.set("h", "color", "blue")
    try await syncOverStream(ana.store, ben.store)
    try await expectEqual(ana.store, ben.store)
    let open = try await Store.open(.inMemory)
    await #expect(throws: VarveError.self) { try await syncOverStream(open, ben.store) }
  }

  @Test func `do not count what a removed member writes, and count what it wrote before`()
    async throws
  {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await ben.store.create("Hat", id: "before", ["color": "blue"])
    try await ben.store.sync(with: relay)
    try await ana.store.sync(with: relay)
    try await ana.store.removeMember(ben.id)
    #expect(try await ana.store.membership().pendingChangeCount == 1)
    try await ben.store.create("Hat", id: "after", ["color": "black"])
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.membership().pendingChangeCount == 0)
    try await ana.store.create("Hat", id: "secret", ["color": "gold"])
    try await ana.store.sync(with: relay)
    _ = try? await ben.store.sync(with: relay)
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.entity("before") != nil)
    #expect(try await ana.store.entity("after") == nil)
    #expect(try await ben.store.entity("secret") == nil)
    await #expect(throws: VarveError.self) { try await ben.store.create("Hat", ["a": 1]) }
    try await expectEqual(ana.store)
    try await expectEqual(ben.store)
  }

  @Test func `fold anew when a removal makes void what counted`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    let cid = try await TeamStore.joining(ana)
    try await ben.store.create("Hat", id: "h", ["color": "black"])
    // Ana removes Ben before she has seen the hat. Cid has it.
    try await cid.store.sync(with: ben.store)
    #expect(try await cid.store.entity("h") != nil)
    try await cid.store.set("h", "size", 3)
    try await ana.store.removeMember(ben.id)
    try await cid.store.sync(with: ana.store)
    #expect(try await cid.store.entity("h") == nil)
    let uncounted = try await cid.store.uncountedCommits()
    #expect(uncounted.count == 1 && uncounted.allSatisfy { $0.isVoid && $0.reason == "removal" })
    try await expectEqual(cid.store, ana.store)
  }

  @Test func `read history with an invitation, and write only as writers`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.rotateEpoch()
    try await ana.store.set("h", "color", "blue")
    let eve = try await TeamStore.joining(ana, as: .reader)
    #expect(try await eve.store.require("h")["color"] == "blue")
    #expect(try await eve.store.history(of: "h", "color").count == 2)
    let error = await #expect(throws: VarveError.self) {
      try await eve.store.set("h", "color", "x")
    }
    #expect(error?.code == .forbidden)
    try await ana.store.setRole(.writer, of: eve.id)
    try await eve.store.sync(with: ana.store)
    try await eve.store.set("h", "color", "green")
    try await eve.store.sync(with: ana.store)
    try await expectEqual(ana.store, eve.store)
  }

  @Test func `count what was written offline over several epochs`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    for n in 0..<3 {
      try await ben.store.create("Hat", id: try EntityID("ben \(n)"), ["n": .int(Int64(n))])
      try await ana.store.rotateEpoch()
      try await ana.store.create("Hat", id: try EntityID("ana \(n)"), ["n": .int(Int64(n))])
    }
    try await ben.store.sync(with: ana.store)
    #expect(try await ana.store.fetch(Query("Hat")).count == 6)
    try await expectEqual(ana.store, ben.store)
  }

  @Test func `members of a sealed space that synchronise join only with an invitation, once`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    let code = try await ana.store.invite(.writer)
    let (ben, eve) = (try await TeamStore.device(), try await TeamStore.device())
    try await eve.store.sync(with: ana.store)
    #expect(try await eve.store.membership().space == nil)
    try await ben.store.join(code)
    try await eve.store.join(code)
    try await ben.store.sync(with: ana.store)
    let error = await #expect(throws: VarveError.self) { try await eve.store.sync(with: ana.store) }
    #expect(error?.code == .forbidden)
    #expect(try await ben.store.membership().role == .writer)
    #expect(try await eve.store.membership().space == nil)
    #expect(try await ana.store.members().count == 2)
  }

  @Test func `a check of a relay counts what is signed, what waits and what is void`() async throws
  {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await ben.store.create("Hat", id: "signed")
    try await ben.store.sync(with: relay)
    try await ben.store.create("Hat", id: "handed over without a signature")
    _ = try await relay.sharedLog().append(try await ben.store.commits())
    func counts() async throws -> [Int?] {
      let report = try await relay.check()
      #expect(report.isClean, "\(report.findings)")
      let signatures = report.signatures
      return [signatures?.signedCount, signatures?.waitingCount, signatures?.voidCount]
    }
    #expect(try await counts() == [1, 1, 0])
    try await ben.store.sync(with: relay)
    #expect(try await counts() == [2, 0, 0])
    try await ana.store.sync(with: relay)
    try await ana.store.removeMember(ben.id)
    try await ana.store.sync(with: relay)
    try await ben.store.create("Hat", id: "late")
    _ = try await relay.sharedLog().append(try await ben.store.commits())
    #expect(try await counts() == [2, 0, 1])
  }
}

/// Synchronises two stores over a pair of pipes.
private func syncOverStream(_ one: Store, _ two: Store) async throws {
  let (there, back) = (Pipe(), Pipe())
  let left = DescriptorConnection(
    reading: back.fileHandleForReading,
    writing: there.fileHandleForWriting
  )
  let right = DescriptorConnection(
    reading: there.fileHandleForReading,
    writing: back.fileHandleForWriting
  )
  async let theirs = two.sync(over: right)
  _ = try await one.sync(over: left)
  _ = try await theirs
}
