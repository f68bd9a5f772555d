import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

/// Faults at the border of sealed spaces, which people found who tried to make them lie: what comes in,
/// what goes out, and who may do what.
@Suite struct SealedBorderTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [true, false])
  func `a device that was a reader writes what counts, under another replica id`(
    hasWritten: Bool
  ) async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    if hasWritten {
      try await ben.store.create("Hat", id: "before")
      try await ben.store.sync(with: ana.store)
    }
    try await ana.store.setRole(.reader, of: ben.id)
    try await ana.store.setRole(.writer, of: ben.id)
    try await ben.store.sync(with: ana.store)
    try await ben.store.create("Hat", id: "after")
    try await ben.store.sync(with: ana.store)
    #expect(try await ana.store.entity("after") != nil)
    #expect(try await ana.store.uncountedCommits() == [])
    try await expectEqual(ana.store, ben.store)
  }

  @Test func `what a reader wrote before it was bound counts nowhere, at its own store neither`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    let eve = try await TeamStore.joining(ana, as: .reader)
    try await ana.store.setRole(.writer, of: eve.id)
    // Eve hears that she may write from Ben, who cannot order what binds her.
    let ben = try await TeamStore.joining(ana)
    try await ben.store.sync(with: eve.store)
    try await eve.store.create("Hat", id: "h")
    try await ana.store.setRole(.reader, of: eve.id)
    for _ in 0..<3 { try await eve.store.sync(with: ana.store) }
    try await expectEqual(ana.store, eve.store)
    #expect(try await eve.store.entity("h") == nil)
  }

  @Test func `commits that were written in the open are refused, by every way in`() async throws {
    let open = try await Store.open(.inMemory)
    try await open.create("Patient", id: "p", ["name": "Topsecret"])
    var document: [UInt8] = []
    try await open.export(.full) { document += $0 }
    let ana = try await TeamStore.sealed()
    await expectUnsupported { _ = try await ana.store.load(DocumentSource(bytes: document)) }
    await expectUnsupported {
      _ = try await ana.store.sharedLog().append(try await open.commits())
    }
    let folder = scratch.path("shared")
    try await open.sync(folder: folder)
    let report = try await ana.store.sync(folder: folder)
    #expect(report.parked.map(\.error.code) == [.unsupported])
    let relay = try await TeamStore.relay()
    try await ana.store.sync(with: relay)
    await expectUnsupported {
      _ = try await relay.sharedLog().append(try await open.commits())
    }
    for store in [ana.store, relay] { #expect(try await store.frontier() == .empty) }
    // Its values come by another form, and are sealed.
    var values: [UInt8] = []
    try await open.export(.normalized) { values += $0 }
    _ = try await ana.store.load(DocumentSource(bytes: values))
    #expect(try await ana.store.require("p")["name"] == "Topsecret")
    await expectUnsupported { try await ana.store.export(.full) { _ in } }
  }

  @Test func `the only admin cannot leave, and can once there is another`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    let (own, other) = (try await ana.id, try await ben.id)
    for role in [MemberRole.reader, .writer] {
      await expectForbidden { try await ana.store.setRole(role, of: own) }
    }
    await expectForbidden { try await ana.store.removeMember(own) }
    try await ana.store.setRole(.admin, of: own)
    try await ana.store.setRole(.admin, of: other)
    try await ana.store.setRole(.writer, of: own)
    #expect(try await ana.store.membership().role == .writer)
  }

  @Test func `what was asked for by an admin who is none any more is dropped`() async throws {
    let ana = try await TeamStore.sealed()
    let (ben, cid) = (
      try await TeamStore.joining(ana, as: .admin), try await TeamStore.joining(ana)
    )
    try await ben.store.sync(with: ana.store)
    try await ben.store.removeMember(cid.id)
    try await ana.store.setRole(.writer, of: ben.id)
    try await ben.store.sync(with: ana.store)
    #expect(try await ben.store.membership().pendingChangeCount == 0)
    try await ana.store.setRole(.admin, of: ben.id)
    try await ben.store.sync(with: ana.store)
    #expect(try await cid.store.membership().role == .writer)
    try await cid.store.sync(with: ana.store)
    #expect(try await cid.store.membership().role == .writer)
  }

  @Test func `a relay takes its first membership from the home alone, and there is one home`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana, as: .admin)
    let (relay, second) = (try await TeamStore.relay(), try await TeamStore.relay())
    await expectForbidden { try await ben.store.sync(with: relay) }
    try await ana.store.sync(with: relay)
    #expect(try await ana.store.membership().isHome == false)
    #expect(try await relay.membership().isHome)
    await expectForbidden { try await ana.store.sync(with: second) }
    // A second relay takes what the first has, and orders nothing.
    try await relay.sync(with: second)
    #expect(try await second.membership().isHome == false)
    try await ben.store.rotateEpoch()
    for store in [ben.store, ana.store] { try await store.sync(with: relay) }
    for store in [second, ben.store] { try await store.sync(with: ana.store) }
    #expect(try await second.frontier() == relay.frontier())
  }

  @Test func `a home that was restored from a copy gets what it lacks, and has not forked`()
    async throws
  {
    let path = scratch.path("ana.varve")
    let ana = try await TeamStore.sealed(.file(path))
    let ben = try await TeamStore.joining(ana)
    try await ana.store.create("Hat", id: "one")
    try await ana.store.backup(to: scratch.path("copy.varve"))
    try await ana.store.create("Hat", id: "two")
    try await ana.store.rotateEpoch()
    try await ana.store.sync(with: ben.store)
    try await ana.store.close()
    let copy = try await TeamStore.device(.file(scratch.path("copy.varve")), keys: ana.keys)
    try await copy.store.sync(with: ben.store)
    try await copy.store.create("Hat", id: "three")
    try await copy.store.sync(with: ben.store)
    try await expectEqual(copy.store, ben.store)
    #expect(try await ben.store.count(Query("Hat")) == 3)
  }

  @Test func `several processes that make the keys of a device have the same`() async throws {
    for round in 0..<20 {
      let folder = scratch.path("keys \(round)")
      let made = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask {
            let secret = Secret(copying: [UInt8](repeating: UInt8(number), count: 64))
            return try FileKeyStore(folder: folder).make(secret, named: KeyName("device"))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(made.filter { $0 }.count == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }
  }

  private func expectUnsupported(_ body: () async throws -> Void) async {
    let error = await #expect(throws: VarveError.self) { try await body() }
    #expect(error?.code == .unsupported && error?.remedy != nil)
  }

  private func expectForbidden(_ body: () async throws -> Void) async {
    let error = await #expect(throws: VarveError.self) { try await body() }
    #expect(error?.code == .forbidden && error?.remedy != nil)
  }
}
