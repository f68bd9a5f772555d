import Foundation
import Inventory
import Testing
import Varve

@Suite("The example of the shared inventory") @MainActor
struct InventoryExampleTests {
  private func inventory(pageSize: Int = 100) async throws -> (Inventory, Store) {
    let store = try await Store.open(.inMemory)
    let inventory = Inventory(store, author: "ana", pageSize: pageSize)
    for (name, place) in [("saw", "shed"), ("Hammer", "shed"), ("lamp", "attic")] {
      try await inventory.add(name, to: place, count: 2)
    }
    try await inventory.settle()
    return (inventory, store)
  }

  @Test func `places are sections in order, with their items by name`() async throws {
    let (inventory, _) = try await inventory()
    #expect(inventory.places.map(\.key) == ["attic", "shed"])
    #expect(inventory.places.map { $0.models.map(\.name) } == [["lamp"], ["Hammer", "saw"]])
    inventory.search = "HAM"
    try await inventory.settle()
    #expect(inventory.places.map(\.key) == ["shed"] && inventory.places[0].count == 1)
    inventory.search = ""
    try await inventory.settle()
    try await inventory.move(inventory.places[0].models[0], to: "cellar")
    try await inventory.settle()
    #expect(inventory.places.map(\.key) == ["cellar", "shed"])
  }

  @Test func `a count that someone changed meanwhile is refused, and every count is kept`()
    async throws
  {
    let (inventory, store) = try await inventory()
    let lamp = try #require(inventory.places.first?.models.first)
    try await store.as("ben").update(lamp.id) { $0.set(\.count, 5) }
    let error = await #expect(throws: VarveError.self) { try await inventory.count(lamp, as: 3) }
    #expect(error?.code == .changedMeanwhile)
    try await inventory.settle()
    let seen = try #require(inventory.places.first?.models.first)
    try await inventory.count(seen, as: 4)
    let counts = try await inventory.counts(of: seen)
    #expect(counts.map(\.count) == [4, 5, 2] && counts.map(\.author) == ["ana", "ben", "ana"])
  }

  @Test func `an undo takes back one's own change, and leaves those of others`() async throws {
    let (inventory, store) = try await inventory()
    try await inventory.remove(inventory.places.flatMap(\.models))
    try await store.as("ben").save(Item("rope", in: "attic", count: 1))
    try await inventory.undo()
    try await inventory.settle()
    #expect(inventory.places.map(\.count) == [2, 2])
  }

  @Test func `an earlier day is shown, and further items load as the list scrolls`() async throws {
    let (inventory, store) = try await inventory(pageSize: 2)
    #expect(inventory.hasMore && inventory.places.flatMap(\.models).count == 2)
    let last = try #require(inventory.places.last?.models.last)
    inventory.appeared(last)
    try await inventory.settle()
    #expect(!inventory.hasMore && inventory.places.map(\.count) == [1, 2])
    inventory.day = Date(timeIntervalSinceNow: -86_400)
    try await inventory.settle()
    #expect(inventory.places.isEmpty && !inventory.isEditable)
    inventory.day = nil
    try await inventory.settle()
    #expect(inventory.places.map(\.count) == [1, 2] && inventory.error == nil)
    #expect(try await store.count(Item.all) == 3)
  }
}
