import Observation
import Synchronization
import Testing
import VarveCore
import VarveStore

@Suite("A stack of undos")
struct UndoStackTests {
  private func color(_ store: Store) async throws -> Value? {
    try await store.entity("a")?["color"]
  }

  @Test(arguments: Engine.allCases)
  func `undoes and redoes the recorded commits of structs, latest first`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let edits = UndoStack(store)
    #expect(!edits.canUndo && !edits.canRedo)
    #expect(try await edits.undo() == nil)
    #expect(try await edits.redo() == nil)
    var hat = Hat("red", 7)
    hat = try await edits.record { try await store.save(hat) }
    hat.color = "blue"
    hat = try await edits.record { try await store.save(hat) }
    try await edits.record { try await store.erase(hat) }
    #expect(edits.canUndo && !edits.canRedo)

    #expect(try await edits.undo()?.restored == [hat.id.entityID])
    #expect(try await store.require(hat.id).color == "blue")
    try await edits.undo(author: "ana", message: "not blue")
    #expect(try await store.require(hat.id).color == "red")
    #expect(try await store.log(limit: 1).first?.author == "ana")
    try await edits.undo()
    #expect(try await store.find(hat.id) == nil)
    #expect(!edits.canUndo && edits.canRedo)
    #expect(try await edits.undo() == nil)

    for color in ["red", "blue"] {
      #expect(try await edits.redo() != nil)
      #expect(try await store.require(hat.id).color == color)
    }
    try await edits.redo()
    #expect(try await store.find(hat.id) == nil)
    #expect(edits.canUndo && !edits.canRedo)
    #expect(try await edits.redo() == nil)
    // What was redone is undone like any commit.
    try await edits.undo()
    #expect(try await store.require(hat.id).color == "blue")
  }

  @Test(arguments: Engine.allCases)
  func `spares what others wrote, and forgets what can be redone with the next record`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let (edits, other) = (UndoStack(store), UndoStack(store))
    try await store.create("Hat", id: "a", ["color": "red"])
    try await edits.record { try await store.set("a", "color", "blue") }
    try await other.record { try await store.set("a", "size", 7) }
    try await edits.undo()
    #expect(try await color(store) == "red")
    #expect(try await store.entity("a")?["size"] == 7)
    try await edits.record { try await store.set("a", "color", "green") }
    #expect(!edits.canRedo)
    #expect(try await edits.redo() == nil)
    try await store.set("a", "color", "grey")
    #expect(try await edits.undo()?.skipped.map(\.reason) == [.changedSince])
    #expect(try await color(store) == "grey")
    #expect(try await other.undo()?.properties.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func `records every verb, once for each commit, and none that wrote nothing or elsewhere`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let elsewhere = try await makeStore(engine)
    let edits = UndoStack(store)
    try await edits.record {
      try await store.create("Hat", id: "a", ["color": "red"])
      try await store.update("a", ["color": "red"])
      try await elsewhere.create("Hat", id: "a", ["color": "red"])
      try await store.write { tx in
        try await tx.set("a", "color", "blue")
        try await tx.set("a", "size", 7)
      }
    }
    try await edits.undo()
    #expect(try await store.entity("a")?.properties.count == 1)
    try await edits.undo()
    #expect(!edits.canUndo)
    #expect(try await elsewhere.exists("a"))
  }

  @Test(arguments: Engine.allCases)
  func `keeps the commits of a closure that throws, and one that an undo failed for`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let edits = UndoStack(store)
    let error = await failure {
      try await edits.record {
        try await store.create("Hat", id: "a", ["color": "red"])
        try await store.create("Hat", id: "a")
      }
    }
    #expect(error?.code == .duplicateIdentifier && edits.canUndo)
    let hook = store.willErase { _, _ in throw VarveError(.hookRefused, "stays") }
    #expect(await failure { try await edits.undo() }?.code == .hookRefused)
    #expect(edits.canUndo && !edits.canRedo)
    hook.cancel()
    #expect(try await edits.undo()?.erased == ["a"])
  }

  @Test(arguments: Engine.allCases)
  func `takes an undo within a record for its own, and stacks nest`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (inner, outer) = (UndoStack(store), UndoStack(store))
    try await outer.record {
      try await inner.record { try await store.create("Hat", id: "a", ["color": "red"]) }
      try await inner.record { try await inner.undo() }
    }
    #expect(!inner.canUndo && inner.canRedo)
    #expect(try await !store.exists("a"))
    // The outer stack has both commits.
    try await outer.undo()
    #expect(try await store.exists("a"))
    try await outer.undo()
    #expect(try await !store.exists("a"))
    #expect(!outer.canUndo)
  }

  @Test func `two undos at once undo two commits`() async throws {
    let store = try await makeStore(.memory)
    let edits = UndoStack(store)
    try await store.create("Hat", id: "a", ["size": 0])
    for size in 1...4 {
      try await edits.record { try await store.set("a", "size", .int(Int64(size))) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { try await edits.undo() } }
      try await group.waitForAll()
    }
    #expect(try await store.entity("a")?["size"] == 2)
    while try await edits.undo() != nil {}
    #expect(try await store.entity("a")?["size"] == 0)
  }

  @Test func `the latest 1,000 commits are kept`() async throws {
    let store = try await makeStore(.memory)
    let edits = UndoStack(store)
    try await edits.record { try await store.create("Hat", id: "first") }
    for _ in 0..<1_000 { try await edits.record { try await store.create("Hat") } }
    var count = 0
    while try await edits.undo() != nil { count += 1 }
    #expect(count == 1_000)
    #expect(try await store.exists("first"))
  }

  @Test func `announces what can be undone to observers`() async throws {
    let store = try await makeStore(.memory)
    let edits = UndoStack(store)
    let count = Mutex(0)
    func watch(_ read: @escaping @Sendable () -> Bool) {
      withObservationTracking {
        _ = read()
      } onChange: {
        count.withLock { $0 += 1 }
      }
    }
    watch { edits.canUndo }
    try await edits.record { try await store.create("Hat", id: "a") }
    #expect(count.withLock { $0 } == 1)
    watch { edits.canRedo }
    try await edits.undo()
    #expect(count.withLock { $0 } == 2)
  }

  @Test func `records the commits of live objects too`() async throws {
    let store = try await makeStore(.memory)
    let edits = UndoStack(store)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 1)
    try await edits.record { try await objects.save(square) }
    square.side = 2
    try await edits.record { try await objects.save(square) }
    try await edits.undo()
    try await objects.refresh()
    #expect(square.side == 1 && objects.canUndo)
  }
}
