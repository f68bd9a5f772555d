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

  @Test func `of more than a message may have are ordered and passed on in parts`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    let count = 30
    let small = try (0..<count).map { try EntityID("small \($0)") }
    try await ana.store.write { tx in
      for (number, id) in small.enumerated() {
        try await tx.create("Hat", id: id, ["n": .int(Int64(number))])
        // Neither compressed nor in chunks: each block has a small hat and a large one.
        var random = SplitMix64(seed: UInt64(number))
        let noise = (0..<112_500).map { _ in random.next() }
        let note = Value.data(noise.withUnsafeBytes { Data($0) })
        try await tx.create("Hat", id: EntityID("large \(number)"), ["note": note])
      }
    }
    try await ana.store.create("Hat", id: "other", ["n": 1])
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    for ids in [small, ["other"]] { #expect(try await ana.store.purge(ids).isPending) }
    for member in [ana, ben] { try await member.store.sync(with: relay) }
    #expect(try await ana.store.membership().pendingChangeCount == 0)
    for store in [ana.store, ben.store] {
      for id in small + ["other"] { #expect(try await values(store, id) == []) }
      #expect(try await store.count(Query("Hat")) == count)
    }
    try await expectEqual(ana.store, ben.store)
    #expect(try await blocks(relay) == blocks(ben.store))
    let entries = try await relay.readableLog().readingDesk { try $0.entries }
    let purges = try entries.map { try MembershipEntry(encoded: $0).operation }.filter {
      if case .redact = $0 { true } else { false }
    }
    #expect(purges.count > 2)
  }

  @Test func `that neither side has come to rest, and are fetched once somebody has them`()
    async throws
  {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    // A relay that has the commit as it was, and the membership without what is left.
    let other = try await TeamStore.relay()
    try await relay.sync(with: other)
    try await ana.store.purge(["h"])
    try await ana.store.sync(with: relay)
    let entries = try await relay.readableLog().readingDesk { try $0.entries }
    for store in [other, ben.store] {
      try await store.sharedLog().atDesk { desk in
        try desk.add(Array(entries.dropFirst(desk.entries.count)))
      }
    }
    let asked = RequestedRelay(
      try other.sharedLog(),
      losesRequest: { false },
      losesReply: { false }
    )
    try await ben.store.sync(asking: asked)
    try await ben.store.sync(with: other)
    for store in [other, ben.store] { #expect(try await purgedCount(store) == 0) }
    try await ben.store.sync(with: relay)
    try await ben.store.sync(asking: asked)
    #expect(try await purgedCount(other) == 1)
    try await expectGone("h", ben.store)
    #expect(try await blocks(other) == blocks(relay))
  }

  @Test func `of many commits are few entries`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["n": 0])
    for number in 1..<60 { try await ana.store.set("h", "n", .int(Int64(number))) }
    let count = try await ana.store.readableLog().readingDesk { try $0.entries.count }
    #expect(try await ana.store.purge(["h"]).placeCount == 60)
    try await expectGone("h", ana.store)
    #expect(try await ana.store.readableLog().readingDesk { try $0.entries.count } == count + 2)
    try await expectEqual(ana.store)
  }

  @Test func `come back to a relay that was restored from a copy without them`() async throws {
    let path = scratch.path("relay.varve")
    var relay = try await TeamStore.relay(.file(path))
    let ana = try await TeamStore.sealed()
    try await ana.store.write { tx in
      for id: EntityID in ["h", "i", "j"] { try await tx.create("Hat", id: id, ["color": "red"]) }
    }
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await relay.backup(to: scratch.path("copy.varve"))
    for id: EntityID in ["h", "i"] {
      try await ana.store.purge([id])
      try await ana.store.sync(with: relay)
    }
    try await relay.close()
    relay = try await TeamStore.relay(.file(scratch.path("copy.varve")))
    for member in [ana, ben, ana] { try await member.store.sync(with: relay) }
    try await expectGone("h", ana.store, ben.store)
    try await expectGone("i", ana.store, ben.store)
    #expect(try await blocks(relay) == blocks(ana.store))
    // The relay orders again.
    try await ana.store.purge(["j"])
    for member in [ana, ben] { try await member.store.sync(with: relay) }
    try await expectGone("j", ana.store, ben.store)
    #expect(try await ana.store.membership().pendingChangeCount == 0)
    try await expectEqual(ana.store, ben.store)
  }

  @Test func `do not let a relay replace the chunks of a value without its block`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["note": Self.large])
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await ana.store.purge(["h"])
    try await ana.store.sync(with: relay)
    let entries = try await relay.readableLog().readingDesk { try $0.entries }
    let commit = try #require(try await relay.commits().min { $0.header.time < $1.header.time })
    try await ben.store.sharedLog().atDesk { desk in
      try desk.add(Array(entries.dropFirst(desk.entries.count)))
      for index in 1..<commit.blocks.count {
        let stored = commit.blocks[index].stored
        let block = PurgedBlock(
          BlockName(commit: commit.id, index: index),
          digest: .sha256(stored)
        )
        #expect(try !desk.replace(block, by: stored))
      }
    }
    #expect(try await values(ben.store, "h") == [Self.large])
    #expect(try await ben.store.check().findings == [])
    try await ben.store.sync(with: relay)
    try await expectGone("h", ana.store, ben.store)
    try await expectEqual(ana.store, ben.store)
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

  @Test func `are ordered only with what they leave, whichever reply is lost`() async throws {
    for count in 0..<8 {
      let relay = try await TeamStore.relay()
      let ana = try await TeamStore.sealed()
      try await ana.store.create("Hat", id: "h", ["color": "red", "note": Self.large])
      try await ana.store.sync(with: relay)
      let eve = try await TeamStore.joining(ana, as: .admin, through: relay)
      try await ana.store.purge(["h"])
      let asked = RequestedRelay(
        try relay.sharedLog(),
        losesRequest: { false },
        losesReply: Countdown(count).ends
      )
      do { try await ana.store.sync(asking: asked) } catch is RequestedRelay.Lost {}
      // Ana may never come again.
      let isOrdered = try await relay.readableLog().readingDesk { desk in
        try desk.entries.contains {
          if case .redact = try MembershipEntry(encoded: $0).operation { true } else { false }
        }
      }
      try await eve.store.sync(with: relay)
      #expect(try await purgedCount(relay) == (isOrdered ? Self.blockCount : 0))
      #expect(try await values(eve.store, "h").isEmpty == isOrdered)
      try await ana.store.sync(with: relay)
      try await eve.store.sync(with: relay)
      try await expectGone("h", ana.store, eve.store)
      try await expectEqual(ana.store, eve.store)
      #expect(try await relay.check().findings == [])
      #expect(try await ana.store.membership().pendingChangeCount == 0)
    }
  }

  /// A value in chunks, and the number of blocks of a hat that has it.
  private static let large = Value.string(String(repeating: "wool ", count: 500_000))
  private static let blockCount = 4

  @Test func `of a block that was purged before leave nothing in any file of a folder`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    let folder = scratch.path("shared")
    try await ana.store.write { tx in
      for id: EntityID in ["h", "i", "j"] { try await tx.create("Hat", id: id, ["color": "red"]) }
    }
    var former: [[UInt8]] = []
    for id: EntityID in ["h", "i"] {
      try await ana.store.sync(folder: folder)
      former += try await ana.store.commits()[0].blocks.map(\.stored)
      try await ana.store.purge([id])
    }
    try await ana.store.sync(folder: folder)
    for bytes in former { #expect(try files(in: folder, with: bytes) == 0) }
    let eve = try await TeamStore.device()
    try await eve.store.join(try await ana.store.invite(.reader))
    for member in [eve, ana, eve] { try await member.store.sync(folder: folder) }
    #expect(try await eve.store.require("j")["color"] == "red")
    try await expectGone("h", eve.store)
    try await expectEqual(ana.store, eve.store)
  }

  @Test func `do not let an admin put other content in place of what is left`() async throws {
    let relay = try await TeamStore.relay()
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.create("Hat", id: "i", ["color": "green"])
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, through: relay)
    try await lie(ana, to: relay)
    try await ben.store.sync(with: relay)
    // Ben sees that it is not the rest, keeps what he has, and goes on.
    #expect(try await ben.store.require("h")["color"] == "red")
    try await ben.store.set("i", "color", "blue")
    try await ben.store.sync(with: relay)
    #expect(try await ben.store.check().findings == [])
    #expect(try await relay.frontier() == ben.store.frontier())
  }

  /// Adds a signed purge to a relay that replaces the block of "h" by the content of "i".
  private func lie(_ admin: TeamStore, to relay: Store) async throws {
    let seal = try SpaceSeal.member(with: DeviceKeys(admin.keys)).sealing
    let commits = try await admin.store.commits().sorted { $0.header.sequence < $1.header.sequence }
    let signer = try Signer(#require(try admin.keys.secret(named: KeyName("device"))))
    try await relay.sharedLog().atDesk { desk in
      let entries = try desk.entries
      let encoded = Array(entries.joined())
      let view = try seal.view(endingWith: #require(entries.last)) { encoded }
      let own = try #require(view.seal(of: commits[0].header))
      let other = try #require(view.seal(of: commits[1].header))
      let stored = try own.sealed(other.opened(commits[1].blocks[0].stored, index: 0), index: 0)
      let block = PurgedBlock(
        BlockName(commit: commits[0].id, index: 0),
        digest: .sha256(stored)
      )
      var log = try MembershipLog(encoded: encoded)
      try log.append(.checkpoint([commits[0].id]), milliseconds: 1, signedBy: signer)
      try log.append(.redact([block], sealed: [1]), milliseconds: 1, signedBy: signer)
      try desk.add(log.entries.dropFirst(entries.count).map(\.encoded))
      #expect(try desk.replace(block, by: stored))
    }
  }
}
