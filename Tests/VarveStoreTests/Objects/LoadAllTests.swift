import Synchronization
import Testing
import VarveCore
import VarveStore

/// Counts the instances that were made of rows.
private final class Counted: StoredObject {
  static let kind: EntityType = "Counted"
  static let madeCount = Atomic(0)
  let id: EntityID
  required init(row: ObjectRow) throws {
    id = row.id
    Self.madeCount.add(1, ordering: .relaxed)
  }
  func read(_ row: ObjectRow) throws {}
  func write(to values: inout ObjectValues) throws {}
}

@Suite("All objects of a kind")
struct LoadAllTests {
  @Test func `only those that are taken are made`() async throws {
    for engine in Engine.allCases {
      let store = try await makeStore(engine)
      try await store.write { tx in
        for number in 0..<250 { try await tx.create("Counted", id: EntityID("c\(number)")) }
      }
      let objects = try await Objects(store)
      objects.register(Counted.self)
      let before = Counted.madeCount.load(ordering: .relaxed)
      var held: [Counted] = []
      let all = objects.stream(Counted.self).makeAsyncIterator()
      for taken in 1...3 {
        held.append(try #require(try await all.next()))
        #expect(Counted.madeCount.load(ordering: .relaxed) == before + taken, "\(engine)")
      }
    }
  }
}
