import Testing
import VarveCore
import VarveStore

/// An actor with a context of its own.
private actor Worker {
  private var objects: Objects?

  func work(_ store: Store, number: Int) async throws -> Double {
    let objects = try await Objects.ofShapes(store)
    self.objects = objects
    let shared = try await objects.load("shared", as: Square.self)
    for round in 0..<10 {
      let own = Square(side: Double(round))
      try await objects.save(own)
      if round % 5 == number % 5 {
        shared.color = "\(number)"
        try await objects.save(shared)
      }
      let other = try await objects.load(own.id, as: Shape.self)
      guard other === own else { return -1 }
      await Task.yield()
    }
    try await objects.undo()
    try await objects.refresh()
    return shared.side
  }

  func color() async throws -> String? {
    try await objects?.load("shared", as: Square.self).color
  }
}

@Suite struct ManyContextsTests {
  @Test(arguments: [Engine.memory, .file])
  func `eight contexts over one store, each on its actor`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Square", id: "shared", ["side": 7])
    let workers = (0..<8).map { _ in Worker() }
    try await withThrowingTaskGroup(of: Double.self) { group in
      for (number, worker) in workers.enumerated() {
        group.addTask { try await worker.work(store, number: number) }
      }
      for try await side in group { #expect(side == 7) }
    }
    let stored = try await store.entity("shared")?["color"]?.stringValue
    for worker in workers { #expect(try await worker.color() == stored) }
    #expect(try await store.count(Query("Square")) >= 73)
  }

  @Test(arguments: [Engine.memory, .file])
  func `a context keeps neither its actor nor its objects`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Square", id: "shared", ["side": 7])
    weak var worker: Worker?
    do {
      let made = Worker()
      worker = made
      _ = try await made.work(store, number: 1)
    }
    for _ in 0..<24_000 where worker != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(worker == nil)
  }
}
