import Observation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@MainActor
@Suite struct RefreshTests {
  @Test(arguments: Engine.allCases)
  func `a live object is updated when others change it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let (mine, theirs) = (try await Objects.ofShapes(store), try await Objects.ofShapes(store))
    let square = Square(id: "s", side: 3)
    try await mine.save(square)
    let other = try await theirs.load("s", as: Square.self)
    #expect(other !== square)
    other.side = 4
    try await theirs.save(other)
    #expect(try await mine.load("s", as: Square.self) === square)
    #expect(square.side == 4)
    try await store.set("s", "side", 5)
    try await mine.refresh()
    #expect(square.side == 5)
  }

  @Test func `a closed or suspended store refuses to refresh`() async throws {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("store"))
    let objects = try await Objects.ofShapes(store)
    try await objects.save(Square(id: "s", side: 3))
    try await store.suspend()
    #expect(await failure { try await objects.refresh() }?.code == .suspended)
    try await store.resume()
    try await objects.refresh()
    try await store.close()
    #expect(await failure { try await objects.refresh() }?.code == .closed)
  }

  @Test(arguments: Engine.allCases)
  func `it is updated by itself, and observers are notified`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let light = Light(id: "l", isOn: false)
    try await objects.save(light)
    let told = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = light.isOn
    } onChange: {
      told.continuation.yield()
    }
    try await store.set("l", "isOn", true)
    for await _ in told.stream { break }
    while !light.isOn { await Task.yield() }
    #expect(light.isOn)
  }

  @Test(arguments: Engine.allCases)
  func `unsaved edits keep their value, and saving writes only them`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 3, color: "red")
    try await objects.save(square)
    #expect(try !objects.hasChanges(square))
    square.color = "blue"
    #expect(try objects.hasChanges(square))
    try await store.set("s", ["side": 4, "color": "green"])
    try await objects.refresh()
    #expect((square.side, square.color) == (4, "blue"))
    try await store.set("s", "side", 5)
    try await objects.save(square)
    #expect(try await store.entity("s")?["side"] == 5)
    #expect(try await store.entity("s")?["color"] == "blue")
    #expect(try await objects.load("s", as: Square.self).side == 5)
    square.side = 9
    try await objects.discardChanges(of: square)
    #expect(square.side == 5)
    #expect(try !objects.hasChanges(square))
  }

  @Test(arguments: Engine.allCases)
  func `a default is no edit`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Square", id: "s", ["side": 3])
    let square = try await objects.load("s", as: Square.self)
    #expect(try !objects.hasChanges(square))
    #expect(try await objects.save(square) == nil)
    try await store.set("s", "color", "red")
    try await objects.refresh()
    #expect(square.color == "red")
  }

  @Test(arguments: Engine.allCases)
  func `a merge brings live objects up to date, children too`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    let objects = try await Objects.ofShapes(here)
    let chain = Chain(id: "n", Circle(id: "c1", radius: 1))
    try await objects.save(chain)
    try await there.merge(from: here)
    try await there.create("Circle", id: "c2", ["radius": 2])
    try await there.set("n", "link", .reference("c2"))
    try await here.merge(from: there)
    try await objects.refresh()
    #expect(chain.link.radius == 2)
  }

  @Test(arguments: Engine.allCases)
  func `an erased object is forgotten, and found again when it is restored`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let (first, second) = (Square(id: "a", side: 1), Square(id: "b", side: 2))
    try await objects.save(first, second)
    try await objects.erase(first)
    #expect(objects.live("a") == nil)
    #expect(!objects.contains(first))
    try await store.erase("b")
    for id: EntityID in ["a", "b"] {
      let error = await failure { _ = try await objects.load(id, as: Square.self) }
      #expect(error?.code == .noSuchDocument)
    }
    #expect(await failure { try await objects.save(second) }?.code == .notFound)
    try await store.restore("a")
    try await store.restore("b")
    #expect(try await objects.load("a", as: Square.self) === first)
    #expect(try await objects.load("b", as: Square.self) === second)
  }

  @Test(arguments: [true, false])
  func `a read that ends late does not bring back an erased object`(byContext: Bool) async throws {
    let backend = HeldBackend()
    let store = Store(backend: backend)
    let objects = try await Objects(store, isolation: nil)
    objects.register(Square.self)
    let square = Square(id: "s", side: 3)
    try await objects.save(square)
    try await store.set("s", "color", "red")
    let refreshing = Task {
      backend.holdNextRead()
      try await objects.refresh()
    }
    await backend.waitForHeldRead()
    if byContext { try await objects.erase(square) } else { try await store.erase("s") }
    #expect(
      await failure { _ = try await objects.load("s", as: Square.self) }?.code == .noSuchDocument
    )
    backend.release()
    try await refreshing.value
    #expect(objects.live("s") == nil)
    #expect(
      await failure { _ = try await objects.load("s", as: Square.self) }?.code == .noSuchDocument
    )
    #expect(await failure { try await objects.save(square) }?.code == .notFound)
    try await store.restore("s")
    #expect(try await objects.load("s", as: Square.self) === square)
  }

  @Test(arguments: Engine.allCases)
  func `a context undoes and redoes its own commits only`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 3)
    try await objects.save(square)
    square.side = 4
    try await objects.save(square)
    try await store.set("s", "color", "red")
    #expect(objects.canUndo && !objects.canRedo)
    try await objects.undo()
    #expect((square.side, square.color) == (3, "red"))
    try await objects.redo()
    #expect(square.side == 4)
    try await objects.undo()
    // Erasing it would also erase a foreign change.
    #expect(try await objects.undo()?.skipped.map(\.reason) == [.changedSince])
    #expect(try await objects.load("s", as: Square.self) === square)
    #expect((square.side, square.color) == (3, "red"))
    #expect(try await objects.undo() == nil)
  }

  @Test(arguments: Engine.allCases)
  func `the changes of a context are undone step by step, to none, and redone`(
    engine: Engine
  ) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    for side in [2.0, 3, 4] {
      square.side = side
      try await objects.save(square)
    }
    for _ in 0..<2 {
      for side in [3.0, 2, 1] {
        try await objects.undo()
        #expect(square.side == side)
      }
      try await objects.undo()
      #expect(objects.live("s") == nil)
      #expect(try await objects.undo() == nil)
      for side in [1.0, 2, 3, 4] {
        try await objects.redo()
        #expect(square.side == side)
      }
      #expect(objects.live("s") === square)
      #expect(try await objects.redo() == nil)
    }
    try await objects.undo()
    square.color = "red"
    try await objects.save(square)
    #expect(!objects.canRedo)
    for _ in 0..<2 { try await objects.undo() }
    #expect((square.side, square.color) == (2, "black"))
  }

  @Test(arguments: Engine.allCases)
  func `undoing step by step spares foreign changes between the steps`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let square = Square(id: "s", side: 1)
    try await objects.save(square)
    square.side = 2
    try await objects.save(square)
    try await store.set("s", "side", 9)
    try await objects.refresh()
    square.side = 3
    try await objects.save(square)
    try await objects.undo()
    #expect(square.side == 9)
    #expect(try await objects.undo()?.skipped.map(\.reason) == [.changedSince])
    #expect(square.side == 9)
  }

  @Test(arguments: Engine.allCases)
  func `an undone commit can be redone, also a creation`(engine: Engine) async throws {
    let objects = try await Objects.ofShapes(makeStore(engine))
    let square = Square(id: "s", side: 3)
    try await objects.save(square)
    try await objects.undo()
    #expect(objects.live("s") == nil)
    try await objects.redo()
    #expect(try await objects.load("s", as: Square.self) === square)
  }

  @Test(arguments: Engine.allCases)
  func `an undo after a merge reverts only this context's part`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    let objects = try await Objects.ofShapes(here)
    let square = Square(id: "s", side: 3)
    try await objects.save(square)
    try await there.merge(from: here)
    square.side = 4
    try await objects.save(square)
    try await there.set("s", "color", "red")
    try await here.merge(from: there)
    try await objects.undo()
    #expect((square.side, square.color) == (3, "red"))
  }

  @Test(arguments: Engine.allCases)
  func `a refresh that an object cannot apply leaves it unchanged`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    let (square, chain) = (Square(id: "s", side: 3), Chain(id: "n", Circle(id: "c", radius: 1)))
    try await objects.save(square, chain)
    try await store.set("s", ["side": 9, "color": 5])
    try await store.set("n", ["link": .reference("s")])
    try await objects.refresh()
    #expect((square.side, square.color) == (3, "black"))
    #expect(chain.link.radius == 1)
    try await store.set("n", "link", .reference("gone"))
    try await objects.refresh()
    #expect(chain.link.id == "c")
    try await store.set("s", "color", "red")
    try await objects.refresh()
    #expect((square.side, square.color) == (9, "red"))
  }

  @Test(arguments: Engine.allCases)
  func `properties that a class only reads are refreshed too`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let objects = try await Objects.ofShapes(store)
    try await store.create("Notebook", id: "n", ["keys": ["a"], "a": "one", "b": "two"])
    let notebook = try await objects.load("n", as: Notebook.self)
    try await store.set("n", "a", "three")
    try await objects.refresh()
    #expect(notebook.texts == ["three"])
    try await store.set("n", "keys", ["a", "b"])
    try await objects.refresh()
    #expect(notebook.texts == ["three", "two"])
  }
}

/// A store in memory that holds back what one read found.
private final class HeldBackend: BackendDecorator {
  private struct State {
    var isArmed = false
    var held: CheckedContinuation<Void, Never>?
    var watcher: CheckedContinuation<Void, Never>?
  }

  let inner = ReferenceBackend()
  private let state = Mutex(State())

  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result {
    let result = try await inner.read(at: moment, body)
    await passGate()
    return result
  }

  /// Holds what the next read finds until ``release()``.
  func holdNextRead() { state.withLock { $0.isArmed = true } }

  /// Waits until a read is held.
  func waitForHeldRead() async {
    await withCheckedContinuation { watcher in
      let isHeld = state.withLock { state in
        if state.held == nil { state.watcher = watcher }
        return state.held != nil
      }
      if isHeld { watcher.resume() }
    }
  }

  /// Lets the held read return.
  func release() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held
    }
    held?.resume()
  }

  private func passGate() async {
    let holds = state.withLock { state in
      defer { state.isArmed = false }
      return state.isArmed
    }
    guard holds else { return }
    await withCheckedContinuation { held in
      let watcher = state.withLock { state in
        state.held = held
        defer { state.watcher = nil }
        return state.watcher
      }
      watcher?.resume()
    }
  }
}
