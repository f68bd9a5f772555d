import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

/// Forks of the membership between stores, and how the recovery key joins them.
@Suite struct JoinedBranchTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A space whose relay was lost and restored from a copy: Ana removed Eve at the lost one, and Ben,
  /// who had not heard of that, admitted Dan at the restored one.
  private struct Fork {
    var key: String
    var lost: Store
    var restored: Store
    var ana: TeamStore
    var ben: TeamStore
    var dan: TeamStore
    var eve: TeamStore
  }

  private func fork() async throws -> Fork {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let lost = try await TeamStore.relay()
    try await ana.store.sync(with: lost)
    let ben = try await TeamStore.joining(ana, as: .admin, through: lost)
    let eve = try await TeamStore.joining(ana, through: lost)
    for member in [ana, ben, eve, ana, ben] {
      try await member.store.create("Hat", ["n": 1])
      try await member.store.sync(with: lost)
    }
    let copy = scratch.path("relay.varve")
    try await lost.backup(to: copy)
    try await ana.store.removeMember(eve.id)
    try await ana.store.create("Hat", id: "of ana")
    try await ana.store.sync(with: lost)
    let restored = try await TeamStore.relay(.file(copy))
    let dan = try await TeamStore.joining(ben, through: restored)
    try await dan.store.create("Hat", id: "of dan")
    try await dan.store.sync(with: restored)
    try await eve.store.create("Hat", id: "of eve")
    try await eve.store.sync(with: restored)
    try await ben.store.create("Hat", id: "of ben")
    try await ben.store.sync(with: restored)
    return Fork(
      key: key,
      lost: lost,
      restored: restored,
      ana: ana,
      ben: ben,
      dan: dan,
      eve: eve
    )
  }

  /// Verifies that all agree after the branches were joined, and that what they write counts.
  private func expectUnion(
    _ fork: Fork,
    _ meet: (TeamStore) async throws -> Void
  ) async throws {
    let stores = [fork.ana, fork.ben, fork.dan, fork.eve]
    for _ in 0..<3 { for one in stores { try await meet(one) } }
    try await fork.ana.store.create("Hat", id: "later of ana")
    try await fork.ben.store.create("Hat", id: "later of ben")
    for _ in 0..<2 { for one in stores { try await meet(one) } }
    try await expectEqual(fork.ana.store, fork.ben.store)
    for id in ["of ana", "of ben", "of dan", "later of ana", "later of ben"] {
      #expect(try await fork.ben.store.entity(EntityID(id)) != nil, "\(id)")
    }
    // Ana had accepted nothing of Eve that she wrote after the removal.
    #expect(try await fork.ben.store.entity("of eve") == nil)
    for (one, role) in [(fork.ana, MemberRole.admin), (fork.ben, .admin)] {
      let own = try await fork.ana.store.members().first { [id = try await one.id] in $0.id == id }
      #expect(own?.role == role)
    }
    let members = try await fork.ben.store.members()
    #expect(members.count == 4 && members.filter { $0.role == nil }.count == 2)
    let refusal = await #expect(throws: VarveError.self) {
      try await fork.dan.store.create("Hat", id: "later of dan")
    }
    #expect(refusal?.code == .forbidden)
  }

  @Test(arguments: [true, false])
  func `both branches are joined at the restored relay, and removals unite`(
    byRequests: Bool
  ) async throws {
    let fork = try await fork()
    let asked = RequestedRelay(try fork.restored.sharedLog())
    func meet(_ one: TeamStore) async throws {
      if byRequests {
        try await one.store.sync(asking: asked)
      } else {
        try await one.store.sync(with: fork.restored)
      }
    }
    let refusal = await #expect(throws: VarveError.self) { try await meet(fork.ana) }
    #expect(refusal?.code == .readOnly)
    try await fork.ana.store.joinBranch(of: fork.restored, recoveryKey: fork.key)
    try await expectUnion(fork, meet)
    // The lost relay turns up again: it has one of the branches, and takes the joined one.
    try await fork.ana.store.sync(with: fork.lost)
    try await fork.ben.store.sync(with: fork.lost)
    try await expectEqual(fork.ana.store, fork.ben.store)
  }

  @Test func `blocks that both branches purged lose the cells of both`() async throws {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let lost = try await TeamStore.relay()
    try await ana.store.write { tx in
      for id: EntityID in ["p", "q", "r"] { try await tx.create("Hat", id: id, ["color": "red"]) }
    }
    try await ana.store.sync(with: lost)
    let ben = try await TeamStore.joining(ana, as: .admin, through: lost)
    let copy = scratch.path("relay.varve")
    try await lost.backup(to: copy)
    try await ana.store.purge(["p"])
    try await ana.store.sync(with: lost)
    let restored = try await TeamStore.relay(.file(copy))
    try await ben.store.purge(["q"])
    try await ben.store.sync(with: restored)
    try await ana.store.joinBranch(of: restored, recoveryKey: key)
    for _ in 0..<3 {
      for member in [ana, ben] { try await member.store.sync(with: restored) }
    }
    for store in [ana.store, ben.store] {
      for id: EntityID in ["p", "q"] {
        #expect(try await store.entity(id) == nil)
        #expect(try await store.history(of: id).compactMap(\.value) == [])
      }
      #expect(try await store.require("r")["color"] == "red")
    }
    try await expectEqual(ana.store, ben.store)
    let own = try await ana.store.commits().reduce(into: [:]) { $0[$1.id] = $1.blocks }
    let kept = try await restored.commits().reduce(into: [:]) { $0[$1.id] = $1.blocks }
    #expect(own == kept)
    #expect(try await restored.check().findings == [])
  }

  @Test func `members of both branches meet in a folder once they are joined`() async throws {
    let fork = try await fork()
    let folder = scratch.path("shared")
    func meet(_ one: TeamStore) async throws { try await one.store.sync(folder: folder) }
    try await fork.ana.store.joinBranch(of: fork.ben.store, recoveryKey: fork.key)
    // The relay orders the membership, and nobody in a folder does.
    try await fork.ana.store.sync(with: fork.restored)
    try await expectUnion(fork, meet)
  }

  @Test func `the branch that is trusted may be either`() async throws {
    let fork = try await fork()
    try await fork.ben.store.joinBranch(of: fork.ana.store, recoveryKey: fork.key)
    for _ in 0..<2 {
      for one in [fork.ben, fork.ana, fork.dan, fork.eve] {
        try await one.store.sync(with: fork.restored)
      }
    }
    try await fork.dan.store.create("Hat", id: "later of dan")
    for one in [fork.dan, fork.ana, fork.ben] { try await one.store.sync(with: fork.restored) }
    try await expectEqual(fork.ana.store, fork.ben.store, fork.dan.store)
    #expect(try await fork.ana.store.entity("later of dan") != nil)
    let eve = try await fork.eve.id
    #expect(try await fork.ana.store.members().first { $0.id == eve }?.role == nil)
  }

  @Test func `only a fork of one space is joined, by its recovery key`() async throws {
    let fork = try await fork()
    let other = try await TeamStore.device()
    let otherKey = try await other.store.sealSpace()
    func refusal(_ one: Store, _ branch: Store, _ key: String) async -> VarveError.Code? {
      await #expect(throws: VarveError.self) {
        try await one.joinBranch(of: branch, recoveryKey: key)
      }?.code
    }
    let (ana, restored) = (fork.ana.store, fork.restored)
    let before = try await ana.members()
    #expect(await refusal(ana, restored, otherKey) == .wrongKey)
    #expect(await refusal(ana, restored, String(fork.key.dropLast())) == .invalidArgument)
    #expect(await refusal(ana, fork.lost, fork.key) == .invalidArgument)
    #expect(await refusal(ana, other.store, fork.key) == .forbidden)
    #expect(await refusal(restored, ana, fork.key) == .forbidden)
    #expect(await refusal(try await TeamStore.device().store, ana, fork.key) == .forbidden)
    #expect(await refusal(ana, try await Store.open(.inMemory), fork.key) == .newerFormat)
    #expect(try await ana.members() == before)
  }

  /// A copy of a member's store, with a copy of its keys, as a disk that was restored.
  private func restored(_ team: TeamStore, _ name: String) async throws -> TeamStore {
    let path = scratch.path("\(name).varve")
    try await team.store.backup(to: path)
    return try await TeamStore.device(.file(path), keys: team.keys.copy())
  }

  @Test func `one store orders the membership after a join, whoever brings it to the others`()
    async throws
  {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let ben = try await TeamStore.joining(ana)
    let copy = try await restored(ana, "copy")
    try await ana.store.rotateEpoch()
    try await copy.store.rotateEpoch()
    try await ana.store.joinBranch(of: copy.store, recoveryKey: key)
    try await ben.store.sync(with: ana.store)
    try await ben.store.sync(with: copy.store)
    for one in [ana, copy] { try await one.store.rotateEpoch() }
    for _ in 0..<2 {
      try await ana.store.sync(with: copy.store)
      for one in [ana, copy] { try await ben.store.sync(with: one.store) }
    }
    #expect(try await ana.store.membership().isHome)
    #expect(try await !copy.store.membership().isHome)
    try await ben.store.create("Hat", id: "h")
    for one in [ana, copy] { try await ben.store.sync(with: one.store) }
    try await expectEqual(ana.store, ben.store, copy.store)
  }

  @Test func `a join that leaves no admin makes one, and none joins in a store that it removes`()
    async throws
  {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let relay = try await TeamStore.relay()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.joining(ana, as: .admin, through: relay)
    let cat = try await TeamStore.joining(ana, through: relay)
    let copy = scratch.path("relay.varve")
    for one in [ana, ben] { try await one.store.sync(with: relay) }
    try await relay.backup(to: copy)
    try await ben.store.removeMember(ana.id)
    for one in [ben, cat] { try await one.store.sync(with: relay) }
    let older = try await TeamStore.relay(.file(copy))
    try await ana.store.removeMember(ben.id)
    try await ana.store.sync(with: older)
    for (one, other) in [(ana, relay), (ben, older)] {
      let refusal = await #expect(throws: VarveError.self) {
        try await one.store.joinBranch(of: other, recoveryKey: key)
      }
      #expect(refusal?.code == .forbidden)
    }
    try await cat.store.joinBranch(of: older, recoveryKey: key)
    #expect(try await cat.store.membership().role == .admin)
    try await cat.store.sync(with: older)
    #expect(try await !cat.store.membership().isHome)
    let dan = try await TeamStore.joining(cat, through: older)
    try await dan.store.create("Hat", id: "h")
    for one in [dan, cat] { try await one.store.sync(with: older) }
    try await expectEqual(cat.store, dan.store)
    #expect(try await cat.store.entity("h") != nil)
  }

  @Test func `a space whose home was restored from a copy is recovered with the recovery key`()
    async throws
  {
    let ana = try await TeamStore.device(.file(scratch.path("ana.varve")))
    let key = try await ana.store.sealSpace()
    try await ana.store.create("Hat", id: "h")
    let path = scratch.path("monday.varve")
    try await ana.store.backup(to: path)
    try await ana.store.rotateEpoch()
    try await ana.store.create("Hat", id: "lost")
    try await ana.store.close()
    let again = try await TeamStore.device(.file(path), keys: ana.keys)
    let refusal = await #expect(throws: VarveError.self) { try await again.store.create("Hat") }
    #expect(refusal?.code == .readOnly)
    #expect(
      refusal?.message.contains("forked") == false && refusal?.remedy?.contains("recover") == true
    )
    let wrong = try await TeamStore.device()
    let otherKey = try await wrong.store.sealSpace()
    for (store, key, code) in [
      (again.store, otherKey, VarveError.Code.wrongKey), (again.store, "0", .invalidArgument),
      (try await TeamStore.device().store, key, .forbidden),
      (try await TeamStore.relay(), key, .forbidden),
    ] {
      let error = await #expect(throws: VarveError.self) {
        try await store.recoverSpace(recoveryKey: key)
      }
      #expect(error?.code == code)
    }
    try await again.store.recoverSpace(recoveryKey: key)
    try await again.store.create("Hat", id: "i")
    let ben = try await TeamStore.joining(again)
    #expect(try await describedHats(ben.store).count == 2)
    try await expectEqual(again.store, ben.store)
  }

  @Test(arguments: [true, false])
  func `a former home that turns up gives way to the store that recovered the space`(
    byItself: Bool
  ) async throws {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let ben = try await TeamStore.joining(ana, as: .admin)
    let cat = try await TeamStore.joining(ana)
    try await ben.store.sync(with: cat.store)
    try await ben.store.recoverSpace(recoveryKey: key)
    if byItself {
      try await ana.store.sync(with: ben.store)
    } else {
      for one in [ben, ana] { try await cat.store.sync(with: one.store) }
    }
    #expect(try await !ana.store.membership().isHome)
    #expect(try await ben.store.membership().isHome)
    try await ana.store.rotateEpoch()
    for one in [ana, cat] { try await one.store.sync(with: ben.store) }
    try await expectEqual(ana.store, ben.store, cat.store)
  }

  @Test func `a membership that comes in other parts is kept by its entries`() async throws {
    let ana = try await TeamStore.sealed()
    let relay = try await TeamStore.relay()
    try await ana.store.sync(with: relay)
    let ben = try await TeamStore.device()
    try await ben.store.join(try await ana.store.invite(.writer))
    let liar = RequestedRelay(try relay.sharedLog(), changes: Self.merged)
    for _ in 0..<2 {
      _ = try? await ben.store.sync(asking: liar)
      try await ana.store.sync(with: relay)
    }
    let entries = try await relay.readableLog().readingDesk { try $0.entries }
    #expect(try await ben.store.readableLog().readingDesk { try $0.entries } == entries)
    try await ben.store.create("Hat", id: "h")
    for one in [ben, ana] { try await one.store.sync(with: relay) }
    try await expectEqual(ana.store, ben.store)
    #expect(try await ana.store.entity("h") != nil)
  }

  /// Returns a message about the membership with all its entries in one part.
  @Sendable private static func merged(_ message: [UInt8]) throws -> [UInt8] {
    try message.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      let head = Array(try reader.raw(2 + 16))
      _ = try reader.raw(8)
      let summary = Array(try reader.raw(32 + 8))
      let count = Int(try reader.varint())
      let entries = try (0..<count).flatMap { _ in Array(try reader.counted()) }
      guard count > 1, summary.suffix(8).allSatisfy({ $0 == 0 }) else { return message }
      var writer = ByteWriter()
      writer.raw(head + [0, 0, 0, 0, 0, 0, 0, 1] + summary + [1])
      writer.counted(entries)
      writer.raw(Array(bytes[reader.offset...]))
      return writer.bytes
    }
  }

  @Test func `a member recovers a space whose only admin and home are lost`() async throws {
    let ana = try await TeamStore.device()
    let key = try await ana.store.sealSpace()
    let ben = try await TeamStore.joining(ana)
    let cat = try await TeamStore.joining(ana)
    try await ana.store.close()
    // What others have seen comes first, or the membership would fork.
    try await ben.store.sync(with: cat.store)
    try await ben.store.recoverSpace(recoveryKey: key)
    #expect(try await ben.store.membership().role == .admin)
    #expect(try await ben.store.membership().isHome)
    let dan = try await TeamStore.joining(ben)
    try await dan.store.create("Hat", id: "h")
    try await dan.store.sync(with: ben.store)
    try await cat.store.sync(with: ben.store)
    try await expectEqual(ben.store, cat.store, dan.store)
    try await ben.store.recoverSpace(recoveryKey: key)
    #expect(try await ben.store.members().count == 4)
  }

  @Test func `a second store with a device's keys is refused instead of waiting`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    let second = try await TeamStore.device(keys: ben.keys)
    let third = try await TeamStore.device(keys: ben.keys)
    try await third.store.join(try await ana.store.invite(.writer))
    for store in [second.store, third.store] {
      let refusal = await #expect(throws: VarveError.self) { try await store.sync(with: ana.store) }
      #expect(refusal?.code == .forbidden && refusal?.message.contains("another store") == true)
    }
  }
}
