import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("A relay that lies")
struct HostileRelayTests {
  /// A space with two members, of whom the second has written what the first has not seen.
  private func prepared() async throws -> (relay: Store, ana: TeamStore, ben: TeamStore) {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await ben.store.create("Hat", id: "h", ["color": "red"])
    try await ben.store.set("h", "color", "blue")
    try await ben.store.sync(with: relay)
    return (relay, ana, ben)
  }

  private func exchange(_ ana: TeamStore, _ log: some CommitLog) async throws -> SyncReport {
    var exchange = LocalExchange(try ana.store.sharedLog(), log)
    return try await exchange.run().here
  }

  @Test func `a relay that lies changes no block without notice`() async throws {
    let (relay, ana, _) = try await prepared()
    let report = try await exchange(
      ana,
      LyingLog(base: try relay.sharedLog()) { commit in
        commit.with(
          commit.blocks.map { block in
            var stored = block.stored
            stored[stored.count / 2] ^= 1
            return Block(salt: block.salt, digest: block.digest, stored: stored)
          }
        )
      }
    )
    #expect(!report.parked.isEmpty)
    #expect(try await ana.store.entity("h") == nil)
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.require("h")["color"] == "blue")
  }

  @Test func `a relay that lies gives no commit another stamp that counts`() async throws {
    let (relay, ana, ben) = try await prepared()
    let own = try await ben.store.replica()
    let commits = try await relay.commits().filter { $0.header.replica == own }
    let genuine = try #require(commits.last)
    var header = genuine.header
    header.time = HybridTime(rawValue: header.time.rawValue + 1 << 24)
    let forged = Commit(header: header, blocks: genuine.blocks)
    _ = try await ana.store.sharedLog().append(Array(commits.dropLast()) + [forged])
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.require("h")["color"] == "blue")
    let uncounted = try await ana.store.uncountedCommits()
    #expect(uncounted.count == 1 && uncounted.allSatisfy { !$0.isVoid && $0.reason == "signature" })
    #expect(try await ana.store.check().isClean)
    // Ben notices that somebody writes under his replica.
    try await ben.store.sync(with: ana.store)
    #expect(try await ben.store.require("h")["color"] == "blue")
    #expect(try await ben.store.check().isClean)
  }

  @Test func `a relay that lies adds nothing in the open, and destroys nothing`() async throws {
    let (relay, ana, _) = try await prepared()
    let report = try await exchange(
      ana,
      LyingLog(base: try relay.sharedLog()) { commit in
        commit.with(commit.blocks.map { Block(salt: [], digest: $0.digest, stored: [0, 1]) })
      }
    )
    #expect(!report.parked.isEmpty)
    #expect(try await ana.store.entity("h") == nil)
  }

  @Test func `a relay that lies undoes no removal by an older membership`() async throws {
    let scratch = try Scratch()
    let (relay, ana, ben) = try await prepared()
    let path = scratch.path("relay.varve")
    try await ana.store.sync(with: relay)
    try await relay.backup(to: path)
    try await ana.store.removeMember(ben.id)
    try await ana.store.sync(with: relay)
    let older = try await TeamStore.relay(.file(path))
    try await ana.store.sync(with: older)
    let members = try await older.members()
    #expect(members.filter { $0.role == nil }.count == 1)
    try await ana.store.create("Hat", id: "i", ["color": "grey"])
    try await ana.store.sync(with: older)
    try await ben.store.sync(with: older)
    #expect(try await ben.store.entity("i") == nil)
    try await older.close()
  }
}
