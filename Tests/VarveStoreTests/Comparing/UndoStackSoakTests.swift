import Foundation
import Testing
import VarveCore
import VarveStore

@Suite(
  "A stack of many undos",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct UndoStackSoakTests {
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
}
