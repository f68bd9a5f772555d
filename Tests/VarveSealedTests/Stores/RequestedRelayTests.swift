import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("A relay that is asked by requests")
struct RequestedRelayTests {
  private func prepared() async throws -> (relay: Store, ana: TeamStore, ben: TeamStore) {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    let asked = RequestedRelay(try relay.sharedLog())
    try await ana.store.sync(asking: asked)
    let ben = try await TeamStore.device()
    try await ben.store.join(try await ana.store.invite(.writer))
    for member in [ben, ana, ben] { try await member.store.sync(asking: asked) }
    try await ben.store.create("Hat", id: "h", ["color": "red"])
    try await ben.store.sync(asking: asked)
    return (relay, ana, ben)
  }

  @Test func `a relay that is asked by requests admits members, and passes on what they write`()
    async throws
  {
    let (relay, ana, ben) = try await prepared()
    let asked = RequestedRelay(try relay.sharedLog())
    try await ana.store.sync(asking: asked)
    #expect(try await ana.store.require("h")["color"] == "red")
    try await ana.store.set("h", "color", "blue")
    try await ana.store.sync(asking: asked)
    try await ben.store.sync(asking: asked)
    try await expectEqual(ana.store, ben.store)
    #expect(try await ana.store.membership().isHome == false)
    #expect(try await relay.membership().isHome)
    #expect(try await relay.fetch(Query("Hat")).isEmpty)
    // Nothing is new: one request is enough, and its reply is short.
    let report = try await ana.store.sync(asking: asked)
    #expect(report.sentCount == 0 && report.receivedCount == 0)
  }

  @Test func `takes no first membership from who may not give it`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    let asked = RequestedRelay(try relay.sharedLog(), mayBegin: false)
    await #expect(throws: VarveError.self) { try await ana.store.sync(asking: asked) }
    #expect(try await relay.membership().space == nil)
    try await ana.store.sync(asking: RequestedRelay(try relay.sharedLog()))
    try await ana.store.sync(asking: asked)
    #expect(try await relay.membership().space == ana.store.membership().space)
  }

  @Test func `passes on the removal of a member, whose later commits are void`() async throws {
    let (relay, ana, ben) = try await prepared()
    let asked = RequestedRelay(try relay.sharedLog())
    try await ana.store.sync(asking: asked)
    try await ana.store.removeMember(ben.id)
    try await ana.store.sync(asking: asked)
    try await ben.store.create("Hat", id: "late", ["color": "grey"])
    try await ben.store.sync(asking: asked)
    try await ana.store.sync(asking: asked)
    #expect(try await ana.store.entity("late") == nil)
    #expect(try await ana.store.require("h")["color"] == "red")
    let uncounted = try await ana.store.uncountedCommits()
    #expect(uncounted.count == 1 && uncounted.allSatisfy(\.isVoid))
    let void = try #require(uncounted.first)
    let signature = try await ana.store.signatures().signature(of: void.id)
    let device = try await ben.id
    #expect(signature.standing == .void && signature.device == device)
  }

  @Test func `a relay that is asked by requests changes no block without notice`() async throws {
    let (relay, ana, _) = try await prepared()
    let lying = LyingLog(base: try relay.sharedLog()) { commit in
      commit.with(
        commit.blocks.map { block in
          var stored = block.stored
          stored[stored.count / 2] ^= 1
          return Block(salt: block.salt, digest: block.digest, stored: stored)
        }
      )
    }
    let report = try? await ana.store.sync(asking: RequestedRelay(lying))
    #expect(report?.parked.isEmpty != true)
    #expect(try await ana.store.entity("h") == nil)
    try await ana.store.sync(asking: RequestedRelay(try relay.sharedLog()))
    #expect(try await ana.store.require("h")["color"] == "red")
  }

  @Test func `a relay that is asked by requests that keeps back signatures only delays`()
    async throws
  {
    let (relay, ana, _) = try await prepared()
    let silent = UnsignedLog(base: try relay.sharedLog())
    try await ana.store.sync(asking: RequestedRelay(silent))
    #expect(try await ana.store.entity("h") == nil)
    let uncounted = try await ana.store.uncountedCommits()
    #expect(uncounted.count == 1 && uncounted.allSatisfy { !$0.isVoid && $0.reason == "signature" })
    #expect(try await ana.store.check().signatures?.waitingCount == 1)
    try await ana.store.sync(asking: RequestedRelay(try relay.sharedLog()))
    #expect(try await ana.store.require("h")["color"] == "red")
  }

  @Test func `brings back no removed member by an older membership`() async throws {
    let scratch = try Scratch()
    let (relay, ana, ben) = try await prepared()
    let path = scratch.path("relay.varve")
    try await ana.store.sync(asking: RequestedRelay(try relay.sharedLog()))
    try await relay.backup(to: path)
    try await ana.store.removeMember(ben.id)
    try await ana.store.sync(asking: RequestedRelay(try relay.sharedLog()))
    let older = try await TeamStore.relay(.file(path))
    try await ana.store.sync(asking: RequestedRelay(try older.sharedLog()))
    #expect(try await older.members().filter { $0.role == nil }.count == 1)
    try await older.close()
  }

  @Test func `refuses bytes that are no request, and changes nothing`() async throws {
    let (relay, ana, _) = try await prepared()
    let responder = SpaceResponder(try relay.sharedLog())
    let before = try await relay.members()
    var random = SplitMix64(seed: 7)
    let log = try ana.store.sharedLog()
    let sealing = try #require(log.sealing)
    let request = try await log.atDesk { desk in
      var correspondence = sealing.correspondence()
      return try correspondence.request(desk)
    }
    _ = try await responder.sealed(request, mayBegin: true)
    for _ in 0..<200 {
      var bytes = request
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        bytes[Int.random(in: bytes.indices, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      default: bytes.append(UInt8.random(in: 0...255, using: &random))
      }
      do {
        _ = try await responder.sealed(bytes, mayBegin: true)
      } catch let error as VarveError {
        let codes: [VarveError.Code] = [.invalidArgument, .newerFormat, .forbidden, .readOnly]
        #expect(codes.contains(error.code), "\(error)")
      }
    }
    #expect(try await relay.members() == before)
  }
}
