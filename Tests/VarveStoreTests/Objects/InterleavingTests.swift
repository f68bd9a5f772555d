import Foundation
import Testing
import VarveCore
import VarveStore

/// Operations that run while others are in progress.
@MainActor
@Suite struct InterleavingTests {
  @Test(arguments: [Engine.memory, .file])
  func `whatever overtakes a save, the object is as stored in the end`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 0)
    try await objects.save(square)
    for round in 1...100 {
      square.side = Double(round)
      let saving = Task { try await objects.save(square) }
      let other = Task.detached { try await store.set("s", "side", .double(Double(-round))) }
      let refreshing = Task { for _ in 0..<3 { try await objects.refresh() } }
      _ = try await (saving.value, other.value, refreshing.value)
      try await objects.refresh()
      let stored = try await store.entity("s")?["side"]?.doubleValue
      #expect(square.side == stored)
      #expect(try !objects.hasChanges(square))
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `no change is missed while others use the context`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let (square, other) = (Square(id: "s", side: 0), Square(id: "o", side: 0))
    try await objects.save(square, other)
    for round in 1...100 {
      let writing = Task.detached { try await store.set("s", "side", .double(Double(round))) }
      let loading = Task {
        while !Task.isCancelled, square.side != Double(round) {
          _ = try await objects.load("o", as: Square.self)
          await Task.yield()
        }
      }
      try await writing.value
      let deadline = ContinuousClock.now + .seconds(120)
      while square.side != Double(round), .now < deadline { await Task.yield() }
      loading.cancel()
      try #require(square.side == Double(round))
    }
  }

  @Test(arguments: Engine.allCases)
  func `two undos in a hurry undo two commits`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    for side in [2.0, 3] {
      square.side = side
      try await objects.save(square)
    }
    let undos = (0..<2).map { _ in Task { try await objects.undo() != nil } }
    for undo in undos { #expect(try await undo.value) }
    #expect(square.side == 1)
    try await objects.redo()
    try await objects.redo()
    #expect(square.side == 3)
  }

  @Test(arguments: [Engine.memory, .file])
  func `one identifier loaded by many at once is one instance`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Circle", id: "c", ["radius": 1])
    try await store.create("Chain", id: "n1", ["link": "c", "next": "n2"])
    try await store.create("Chain", id: "n2", ["link": "c", "next": "n1"])
    let ids: [EntityID] = ["n1", "n2", "n1", "n2", "n1"]
    var chains: [Int: Chain] = [:]
    let loads = ids.enumerated().map { index, id in
      Task { chains[index] = try await objects.load(id, as: Chain.self) }
    }
    for load in loads { try await load.value }
    #expect(Set(chains.values.map { ObjectIdentifier($0) }).count == 2)
    #expect(chains[0]?.next?.value === chains[1])
    #expect(chains[1]?.next?.value === chains[0])
    #expect(chains[0]?.link.value === chains[1]?.link.value)
  }

  @Test func `an entity that another session erases and restores is the same instance`()
    async throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).varve").path
    defer {
      for end in ["", "-wal", "-shm", "-checkpoint"] {
        try? FileManager.default.removeItem(atPath: path + end)
      }
    }
    let (store, other) = (try await Store.open(path), try await Store.open(path))
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    for round in 1...20 {
      try await other.erase("s")
      try await objects.waitUntilForgotten(square)
      try await other.restore("s")
      try await other.set("s", "side", .double(Double(round)))
      // This holds whether or not this store was notified of it by now.
      #expect(try await objects.load("s", as: Square.self) === square)
      try await objects.refresh()
    }
    try await other.close()
    try await store.close()
  }
}

extension Objects {
  /// Waits until the context was notified that an object is erased.
  fileprivate func waitUntilForgotten(_ object: Square) async throws {
    while live(object.id) != nil {
      try await Task.sleep(for: .milliseconds(2))
      try await refresh()
    }
  }
}
