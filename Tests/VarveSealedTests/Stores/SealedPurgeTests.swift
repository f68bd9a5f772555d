import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Purges in a sealed space")
struct SealedPurgeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the values that are left of an entity's history.
  private func values(_ store: Store, _ id: EntityID) async throws -> [Value] {
    try await store.history(of: id).compactMap(\.value)
  }

  private func blocks(_ store: Store) async throws -> [CommitID: [[UInt8]]] {
    try await store.commits().reduce(into: [:]) { $0[$1.id] = $1.blocks.map(\.stored) }
  }

  /// Returns how many blocks of a store were purged.
  private func purgedCount(_ store: Store) async throws -> Int {
    try await store.commits().flatMap(\.blocks).filter(\.isRedacted).count
  }

  private func expectGone(_ id: EntityID, _ stores: Store...) async throws {
    for store in stores {
      #expect(try await store.entity(id) == nil)
      #expect(try await values(store, id) == [])
    }
  }

  @Test func `destroy values at once where the membership is ordered`() async throws {
    let path = scratch.path("team.varve")
    let ana = try await TeamStore.sealed(.file(path))
    try await ana.store.create("Hat", id: "h", ["color": "red", "size": 1])
    try await ana.store.create("Hat", id: "other", ["color": "green"])
    try await ana.store.set("h", "color", "blue")
    let report = try await ana.store.purge(["h"])
    #expect(report.died == ["h"] && report.placeCount == 2)
    try await expectGone("h", ana.store)
    #expect(try await purgedCount(ana.store) == 2)
    #expect(try await ana.store.membership().pendingChangeCount == 0)
    try await expectEqual(ana.store)
    #expect(try await ana.store.require("other")["color"] == "green")
    // Nothing is left to purge.
    #expect(try await ana.store.purge(["h"]).placeCount == 0)
    try await ana.store.close()
    let again = try await TeamStore.device(.file(path), keys: ana.keys)
    try await expectGone("h", again.store)
    try await expectEqual(again.store)
    try await again.store.close()
  }

  @Test func `leave the rest of a commit, and of a large value's block`() async throws {
    let ana = try await TeamStore.sealed()
    let large = Value.string(String(repeating: "wool ", count: 500_000))
    try await ana.store.write { tx in
      try await tx.create("Hat", id: "h", ["color": "red", "note": large])
      try await tx.create("Hat", id: "i", ["color": "blue", "note": large])
    }
    let ben = try await TeamStore.joining(ana)
    try await ana.store.purge(["h"])
    try await ben.store.sync(with: ana.store)
    for store in [ana.store, ben.store] {
      try await expectGone("h", store)
      #expect(try await store.require("i")["note"] == large)
    }
    try await ben.store.create("Hat", id: "j")
    try await ana.store.purge(["i"])
    try await ben.store.sync(with: ana.store)
    try await expectGone("i", ana.store, ben.store)
    try await expectEqual(ana.store, ben.store)
    #expect(try await blocks(ana.store) == blocks(ben.store))
  }

  @Test func `reach a relay and all members through it, and who joins later`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await ben.store.create("Hat", id: "h", ["color": "red"])
    try await ben.store.set("h", "color", "blue")
    for member in [ben, ana] { try await member.store.sync(with: relay) }
    let former = try await blocks(relay)
    try await ana.store.purge(["h"])
    // The relay orders the membership, and has not been asked yet.
    #expect(try await ana.store.membership().pendingChangeCount == 1)
    #expect(try await ana.store.entity("h") == nil)
    #expect(try await values(ana.store, "h") == ["blue", "red"])
    for member in [ana, ben] { try await member.store.sync(with: relay) }
    #expect(try await ana.store.membership().pendingChangeCount == 0)
    try await expectGone("h", ana.store, ben.store)
    try await expectEqual(ana.store, ben.store)
    let kept = try await blocks(relay)
    #expect(former.filter { kept[$0.key] != $0.value }.count == 2)
    #expect(try await kept == blocks(ben.store))
    #expect(try await relay.check().findings == [])

    let eve = try await TeamStore.joining(ana, as: .reader, through: relay)
    try await expectGone("h", eve.store)
    try await expectEqual(ana.store, eve.store)
    // Another relay gets what is left too.
    let second = try await TeamStore.relay()
    try await eve.store.sync(with: relay)
    try await relay.sync(with: second)
    #expect(try await blocks(second) == kept)
    #expect(try await second.check().findings == [])
  }

  @Test func `reach members through a folder, whose files lose the values too`() async throws {
    let ana = try await TeamStore.sealed()
    let folder = scratch.path("shared")
    let ben = try await TeamStore.device()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.sync(folder: folder)
    try await ben.store.join(try await ana.store.invite(.writer))
    for member in [ben, ana, ben] { try await member.store.sync(folder: folder) }
    #expect(try await values(ben.store, "h") == ["red"])
    let sealed = try #require(try await ana.store.commits().first).blocks[0].stored
    #expect(try files(in: folder, with: sealed) == 1)
    try await ana.store.purge(["h"])
    for member in [ana, ben] { try await member.store.sync(folder: folder) }
    try await expectGone("h", ana.store, ben.store)
    try await expectEqual(ana.store, ben.store)
    #expect(try files(in: folder, with: sealed) == 0)
    let eve = try await TeamStore.device()
    try await eve.store.join(try await ana.store.invite(.reader))
    for member in [eve, ana, eve] { try await member.store.sync(folder: folder) }
    try await expectGone("h", eve.store)
    try await expectEqual(ana.store, eve.store)
  }

  private func files(in folder: String, with bytes: [UInt8]) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      return data.range(of: Data(bytes)) != nil
    }.count
  }

  @Test func `are refused to devices that are no admins`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    for role in [MemberRole.writer, .reader] {
      let member = try await TeamStore.joining(ana, as: role)
      let error = await #expect(throws: VarveError.self) { try await member.store.purge(["h"]) }
      #expect(error?.code == .forbidden)
      #expect(try await values(member.store, "h") == ["red"])
      #expect(try await member.store.membership().pendingChangeCount == 0)
    }
  }

  @Test func `of two admins leave nothing of one block, whichever is ordered first`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.write { tx in
      for id: EntityID in ["h", "i", "j"] { try await tx.create("Hat", id: id, ["color": "red"]) }
    }
    try await ana.store.sync(with: relay)
    let eve = try await TeamStore.joining(ana, as: .admin, through: relay)
    try await ana.store.purge(["h"])
    try await eve.store.purge(["i"])
    for member in [eve, ana, eve] { try await member.store.sync(with: relay) }
    try await expectGone("h", ana.store, eve.store)
    try await expectGone("i", ana.store, eve.store)
    #expect(try await ana.store.require("j")["color"] == "red")
    try await expectEqual(ana.store, eve.store)
    #expect(try await blocks(relay) == blocks(ana.store))
  }

  @Test func `are carried out by another admin if the first is lost`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.sync(with: relay)
    let eve = try await TeamStore.joining(ana, as: .admin, through: relay)
    try await ana.store.purge(["h"])
    // The relay orders the purge; what follows is lost.
    for count in 0..<6 where try await relayLacksPurge(relay) {
      let asked = RequestedRelay(
        try relay.sharedLog(),
        losesRequest: { false },
        losesReply: Countdown(count).ends
      )
      do { try await ana.store.sync(asking: asked) } catch is RequestedRelay.Lost {}
    }
    #expect(try await purgedCount(relay) == 0)
    try await eve.store.sync(with: relay)
    #expect(try await purgedCount(relay) == 1)
    #expect(try await values(eve.store, "h") == [])
    try await ana.store.sync(with: relay)
    try await eve.store.sync(with: relay)
    try await expectGone("h", ana.store, eve.store)
    try await expectEqual(ana.store, eve.store)
    #expect(try await relay.check().findings == [])
  }

  private func relayLacksPurge(_ relay: Store) async throws -> Bool {
    let entries = try await relay.readableLog().readingDesk { try $0.entries }
    return try !entries.contains {
      if case .redact = try MembershipEntry(encoded: $0).operation { true } else { false }
    }
  }

  @Test func `do not let an admin put other content in place of what is left`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.create("Hat", id: "i", ["color": "green"])
    let ben = try await TeamStore.joining(ana)
    try await ana.store.purge(["h"])
    let lie = try await otherContent(ana)
    let error = await #expect(throws: VarveError.self) {
      try await ben.store.sharedLog().atDesk { try $0.keep(lie.0, lie.1) }
    }
    #expect(error?.code == .damaged)
    #expect(try await ben.store.require("i")["color"] == "green")
    try await ben.store.sync(with: ana.store)
    try await expectEqual(ana.store, ben.store)
  }

  /// Returns a valid proof that puts the content of the commit of "i" in place of that of "h".
  private func otherContent(_ admin: TeamStore) async throws -> (SealedPurge, [UInt8]) {
    let seal = try SpaceSeal.member(with: DeviceKeys(admin.keys)).sealing
    let commits = try await admin.store.commits().sorted { $0.header.sequence < $1.header.sequence }
    return try await admin.store.sharedLog().atDesk { desk in
      let block = BlockName(commit: commits[0].id, index: 0)
      let former = try #require(try desk.purge(of: block))
      let purge = try seal.purge(encoded: former.proof)
      let entries = try desk.entries
      let view = try seal.view(endingWith: #require(entries.last)) { Array(entries.joined()) }
      let epoch = try #require(view.seal(of: commits[0].header))
      let other = try #require(view.seal(of: commits[1].header))
      let stored = try epoch.sealed(other.opened(commits[1].blocks[0].stored, index: 0), index: 0)
      let lie = SealedPurge(
        block: block,
        oldDigest: purge.oldDigest,
        newDigest: .sha256(stored),
        encoded: former.proof
      )
      return (lie, stored)
    }
  }
}
