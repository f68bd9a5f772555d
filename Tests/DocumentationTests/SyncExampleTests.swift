import Foundation
import Testing
import VarveStore
import VarveSync

/// The code of the documentation of synchronising, run on stores in memory.
@Suite("The examples of synchronising behave as documented")
struct SyncExampleTests {
  @Test func `the examples of synchronizing run`() async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/Synchronizing.md
    let laptop = try await Store.open(.inMemory)
    let office = try await Store.open(.inMemory)
    try await laptop.create("Hat", id: "hat-1", ["color": "red"])
    try await office.create("Hat", id: "hat-2", ["color": "green"])

    let report = try await laptop.sync(with: office)
    print(report.receivedCount, "received,", report.sentCount, "sent")  // 1 received, 1 sent
    // end
    #expect(report.receivedCount == 1 && report.sentCount == 1)
    try await laptop.set("hat-1", "color", "blue")
    // snippet: Sources/VarveStore/VarveStore.docc/Synchronizing.md
    let phone = try await Store.open(.inMemory)
    let first = try await phone.sync(with: laptop, presentFirst: true)
    print(first.receivedCount, "came,", first.completedCount, "of them in two steps")
    // end
    #expect(first.receivedCount == 3 && first.completedCount == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/Synchronizing.md
    let folder = NSTemporaryDirectory() + UUID().uuidString
    try await laptop.sync(folder: folder)
    let tablet = try await Store.open(.inMemory)
    try await tablet.sync(folder: folder)  // has both hats
    // end
    #expect(try await tablet.count(Query("Hat")) == 2)
    try FileManager.default.removeItem(atPath: folder)
  }
}
