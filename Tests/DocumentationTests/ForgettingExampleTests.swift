import Foundation
import Testing
import VarveStore

/// The code of the documentation of forgetting, run on a store in memory.
@Suite("The examples of forgetting behave as documented")
struct ForgettingExampleTests {
  @Test func `forgetting for good`() async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/ForgettingForGood.md
    let store = try await Store.open(.inMemory)
    try await store.create("Customer", id: "customer-7", ["name": "Ana"])
    try await store.set("customer-7", "name", "Ana Maria")
    try await store.as("sam", message: "asked to be forgotten").purge(["customer-7"])

    let left = try await store.history(of: "customer-7", "name")
    print(left.count)  // 0
    // end
    #expect(left.isEmpty)
    // snippet: Sources/VarveStore/VarveStore.docc/ForgettingForGood.md
    try await store.create("Hat", id: "hat-1", ["price": 10])
    for price in 11...20 { try await store.set("hat-1", "price", .int(Int64(price))) }
    try await Task.sleep(for: .milliseconds(20))
    let folded = try await store.compact(keeping: .milliseconds(10))
    print(folded.cellCount)  // 10
    // end
    #expect(folded.cellCount == 10)
  }
}
