import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

/// Members of a sealed space who never meet but in a folder.
@Suite struct SealedFolderTests {
  let scratch: Scratch
  private var folder: String { scratch.path("shared") }

  init() throws { scratch = try Scratch() }

  @Test func `members who meet in a folder alone join, write and are equal`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.as("ana").create("Hat", id: "h", ["color": "red"])
    let (ben, eve) = (try await join(ana), try await join(ana, as: .reader))
    #expect(try await ben.store.require("h")["color"] == "red")
    try await ben.store.set("h", "color", "blue")
    try await meet(ben, ana, ben, ana, eve)
    try await expectEqual(ana.store, ben.store, eve.store)
    #expect(try await ana.store.require("h")["color"] == "blue")
    #expect(try await ana.store.uncountedCommits() == [])
    await #expect(throws: VarveError.self) { try await eve.store.create("Hat") }
    // Nothing but names of replicas is readable.
    for text in ["color", "blue", "ana"] {
      #expect(try filesWith(text) == [], "\(text)")
    }
  }

  @Test func `a folder that nothing is new for is left as it is`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await join(ana)
    try await ben.store.create("Hat", id: "i")
    try await meet(ben)
    // The home has not answered yet.
    let waiting = try contents()
    try await meet(ben, ben)
    #expect(try contents() == waiting)
    try await meet(ana, ben, ana, ben, ana)
    let settled = try contents()
    try await meet(ana, ben, ana)
    #expect(try contents() == settled)
  }

  @Test func `what a removed member puts into the folder does not count`() async throws {
    let ana = try await TeamStore.sealed()
    let (ben, eve) = (try await join(ana), try await join(ana))
    try await eve.store.create("Hat", id: "before")
    try await meet(eve, ana, eve, ana, ben)
    #expect(try await ben.store.entity("before") != nil)
    try await ana.store.removeMember(eve.id)
    try await meet(ana)
    try await eve.store.create("Hat", id: "after")
    try await meet(eve, ben, ana, ben)
    for store in [ana.store, ben.store] {
      #expect(try await store.entity("before") != nil)
      #expect(try await store.entity("after") == nil)
      #expect(try await store.uncountedCommits().map(\.isVoid) == [true])
    }
    try await expectEqual(ana.store, ben.store)
  }

  @Test func `several members who ask at once are answered one after another, and none forks`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    let others = [try await join(ana), try await join(ana), try await join(ana)]
    for (number, other) in others.enumerated() {
      try await other.store.create("Hat", id: EntityID("hat \(number)"))
    }
    for _ in 0..<others.count {
      for other in others { try await meet(other) }
      try await meet(ana)
    }
    for _ in 0..<2 { for member in others + [ana] { try await meet(member) } }
    try await expectEqual(ana.store, others[0].store, others[1].store, others[2].store)
    #expect(try await ana.store.count(Query("Hat")) == 3)
  }

  @Test func `files that are cut off or altered are left out, and are written again`() async throws
  {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h")
    let ben = try await join(ana)
    let name = try await file(of: ana)
    let whole = try Data(contentsOf: name)
    for length in [0, 1, 20, whole.count / 2, whole.count - 1] {
      try whole.prefix(length).write(to: name)
      let report = try await ben.store.sync(folder: folder)
      #expect(report.incompleteFiles == [name.lastPathComponent], "\(length)")
    }
    for place in stride(from: 0, to: whole.count, by: 97) {
      var altered = whole
      altered[place] ^= 4
      try altered.write(to: name)
      let report = try await ben.store.sync(folder: folder)
      #expect(report.incompleteFiles == [name.lastPathComponent], "\(place)")
    }
    try await meet(ana)
    #expect(try await ben.store.sync(folder: folder).isComplete)
  }

  @Test func `a folder of another space is refused, and one without a membership has nothing`()
    async throws
  {
    let (ana, zoe) = (try await TeamStore.sealed(), try await TeamStore.sealed())
    try await ana.store.create("Hat", id: "h")
    try await meet(ana)
    await #expect(throws: VarveError.self) { try await meet(zoe) }
    #expect(try await zoe.store.count(Query("Hat")) == 0)
    // A store that was opened without a seal keeps nothing of it.
    let open = try await Store.open(.inMemory)
    let report = try await open.sync(folder: folder)
    #expect(report.parked.map(\.error.code) == [.newerFormat])
    #expect(try await open.log().isEmpty)
    let new = try await TeamStore.device()
    #expect(try await new.store.sync(folder: scratch.path("empty")).receivedCount == 0)
  }

  @Test func `a relay takes a space from a folder, and gives it back`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await meet(ana)
    let relay = try await TeamStore.relay()
    try await relay.sync(folder: folder)
    #expect(try await relay.frontier() == ana.store.frontier())
    let other = scratch.path("other")
    try await relay.sync(folder: other)
    let ben = try await TeamStore.device()
    try await ben.store.join(try await ana.store.invite(.writer))
    try await ben.store.sync(folder: other)
    try await relay.sync(folder: other)
    try await ana.store.sync(with: relay)
    try await relay.sync(folder: other)
    try await ben.store.sync(folder: other)
    #expect(try await ben.store.require("h")["color"] == "red")
  }

  @Test func `a merge takes what the other store has, and gives it nothing`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    let ben = try await TeamStore.joining(ana)
    try await ana.store.set("h", "color", "blue")
    try await ben.store.create("Hat", id: "i")
    let report = try await ben.store.merge(from: ana.store)
    #expect(report.commitCount == 1)
    #expect(try await ben.store.require("h")["color"] == "blue")
    #expect(try await ana.store.entity("i") == nil)
    let open = try await Store.open(.inMemory)
    await #expect(throws: VarveError.self) { try await open.merge(from: ana.store) }
    await #expect(throws: VarveError.self) { try await ana.store.merge(from: open) }
  }

  // MARK: The folder

  /// Synchronises with the folder, one after another.
  private func meet(_ members: TeamStore...) async throws {
    for member in members { try await member.store.sync(folder: folder) }
  }

  /// Opens a store that joins the space through the folder.
  private func join(_ admin: TeamStore, as role: MemberRole = .writer) async throws -> TeamStore {
    let new = try await TeamStore.device()
    try await new.store.join(try await admin.store.invite(role))
    try await meet(admin, new, admin, new)
    #expect(try await new.store.membership().role == role)
    return new
  }

  private func file(of member: TeamStore) async throws -> URL {
    let replica = try await member.store.readableLog().replica()
    return URL(fileURLWithPath: folder).appendingPathComponent("\(replica.text).varve-membership")
  }

  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let url = URL(fileURLWithPath: folder)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: url.appendingPathComponent($0)))
      }
    )
  }

  private func filesWith(_ text: String) throws -> [String] {
    try contents().filter { $0.value.range(of: Data(text.utf8)) != nil }.map(\.key)
  }
}
