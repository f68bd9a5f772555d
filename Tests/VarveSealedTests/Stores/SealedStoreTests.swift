import Foundation
import Testing
import VarveCore
import VarveSealed
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Stores of a sealed space")
struct SealedStoreTests {
  @Test func `write and read as others do, after they were opened again too`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("team.varve")
    let ana = try await TeamStore.sealed(.file(path))
    try await ana.store.as("ana", message: "first").create("Hat", id: "h", ["color": "red"])
    try await ana.store.set("h", "color", "blue")
    let large = String(repeating: "wool ", count: 600_000)
    try await ana.store.set("h", "note", .string(large))
    try await expectEqual(ana.store)
    try await ana.store.close()

    let again = try await TeamStore.device(.file(path), keys: ana.keys)
    let hat = try await again.store.require("h")
    #expect(hat["color"] == "blue" && hat["note"] == .string(large))
    let history = try await again.store.history(of: "h", "color")
    #expect(Set(history.map(\.author)) == [nil, "ana"])
    #expect(history.contains { $0.commit.message == "first" })
    try await again.store.close()
  }

  @Test func `have a history before anything else was read`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ana.store.set("h", "color", "blue")
    #expect(try await ana.store.history(of: "h", "color").map(\.value) == ["blue", "red"])
  }

  @Test func `have nothing of content, authors or messages in their log`() async throws {
    let ana = try await TeamStore.sealed()
    try await ana.store.as("anastasia", message: "a gift").create(
      "Cloche",
      id: "cloche-1",
      ["lining": "crimson"]
    )
    for commit in try await ana.store.commits() {
      let bytes = commit.headerBytes + commit.blocks.flatMap(\.stored)
      let text = String(decoding: bytes, as: UTF8.self)
      for word in ["Cloche", "cloche-1", "lining", "crimson", "anastasia", "gift"] {
        #expect(!text.contains(word))
      }
    }
  }

  @Test func `stores of a sealed space write nothing before they belong to a space`() async throws {
    let device = try await TeamStore.device()
    await #expect(throws: VarveError.self) { try await device.store.create("Hat", ["a": 1]) }
    let relay = try await TeamStore.relay()
    await #expect(throws: VarveError.self) { try await relay.create("Hat", ["a": 1]) }
  }

  @Test func `stores of a sealed space cannot be opened without what seals them`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("team.varve")
    let ana = try await TeamStore.sealed(.file(path))
    try await ana.store.create("Hat", ["a": 1])
    try await ana.store.close()
    let error = await #expect(throws: VarveError.self) { try await Store.open(path) }
    #expect(error?.code == .newerFormat)
  }

  @Test func `stores of a sealed space are sealed only if they have no commits, and once`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("hats.varve")
    let plain = try await Store.open(path)
    try await plain.create("Hat", ["a": 1])
    try await plain.close()
    let opened = try await TeamStore.device(.file(path))
    let error = await #expect(throws: VarveError.self) { try await opened.store.sealSpace() }
    #expect(error?.code == .unsupported)
    try await opened.store.close()
    let ana = try await TeamStore.sealed()
    let twice = await #expect(throws: VarveError.self) { try await ana.store.sealSpace() }
    #expect(twice?.code == .invalidArgument)
  }

  @Test func `stores of a sealed space refuse what another store would send in the open`()
    async throws
  {
    let ana = try await TeamStore.sealed()
    try await ana.store.create("Hat", ["a": 1])
    let open = try await Store.open(.inMemory)
    for (one, other) in [(open, ana.store), (ana.store, open)] {
      let refusals = [
        await #expect(throws: VarveError.self) { try await one.sync(with: other) },
        await #expect(throws: VarveError.self) { try await one.merge(from: other) },
      ]
      #expect(refusals.map { $0?.code } == [.unsupported, .unsupported])
    }
    #expect(try await open.frontier() == .empty)
    let error = await #expect(throws: VarveError.self) {
      try await open.sharedLog().append(try await ana.store.commits())
    }
    #expect(error?.code == .newerFormat)
    #expect(try await open.frontier() == .empty)
  }

  @Test func `stores of a sealed space tell subscribers of what begins to count`() async throws {
    let ana = try await TeamStore.sealed()
    let ben = try await TeamStore.joining(ana)
    var changes = try await ben.store.changes().makeAsyncIterator()
    try await ana.store.create("Hat", id: "h", ["color": "red"])
    try await ben.store.sync(with: ana.store)
    let change = try await changes.next()
    #expect(change?.added.contains("h") == true)
  }
}
