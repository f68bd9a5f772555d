import VarveCore
import VarveStore

/// Contexts on actors of their own over one store, all of them using one object: for the thread
/// sanitizer, and to see that they agree in the end.
enum Contexts {
  static func run(_ path: String, roundCount: Int) async throws {
    let store = try await Store.open(path)
    try await store.create("Part", id: "shared", ["size": 0])
    let workers = (0..<8).map { Worker(number: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in workers { group.addTask { try await worker.work(store, roundCount) } }
      try await group.waitForAll()
    }
    let stored = try await store.require("shared")["size"]?.intValue
    for worker in workers {
      guard try await worker.size() == stored else {
        throw VarveError(.damaged, "a context shows another value than is stored")
      }
    }
    Report.line("agreed on \(stored ?? -1)")
    try await store.close()
  }

  private actor Worker {
    private let number: Int
    private var objects: Objects?

    init(number: Int) { self.number = number }

    func work(_ store: Store, _ roundCount: Int) async throws {
      let objects = try await Objects(store)
      objects.register(Part.self)
      self.objects = objects
      let shared: Part = try await objects.load("shared")
      for round in 0..<roundCount {
        shared.size = Int64(number * roundCount + round)
        let own = Part(size: Int64(round), below: shared)
        try await objects.save(own)
        guard try await objects.load(own.id, as: Part.self) === own else {
          throw VarveError(.damaged, "an identifier has two instances")
        }
        switch round % 4 {
        case 0: try await objects.undo()
        case 1: try await objects.erase(own)
        case 2:
          for try await part in objects.stream(Part.self) { _ = try objects.hasChanges(part) }
        default: try await objects.refresh()
        }
      }
    }

    func size() async throws -> Int64? {
      try await objects?.refresh()
      return try await objects?.load("shared", as: Part.self).size
    }
  }
}

private final class Part: StoredObject {
  static let kind: EntityType = "Part"
  let id: EntityID
  var size: Int64
  var below: Child<Part>?

  init(size: Int64, below: Part) {
    id = .new()
    self.size = size
    self.below = Child(below)
  }

  init(row: ObjectRow) throws {
    id = row.id
    size = try row.read("size")
    below = try row.read("below")
  }

  func read(_ row: ObjectRow) throws {
    size = try row.read("size")
    below = try row.read("below")
  }

  func write(to values: inout ObjectValues) throws {
    try values.set("size", size)
    try values.set("below", below)
  }
}
