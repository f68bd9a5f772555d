import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Two processes of four tasks each", .serialized)
struct ClaimTests {
  @Test(
    "that create the same names if missing make one entity a name",
    arguments: [false, true]
  )
  func claim(isIndexed: Bool) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    if isIndexed { try await store.addIndex(on: "name", of: "Person") }
    // Enough that neither is done before the other begins.
    let count = isIndexed ? 8_000 : 1_000
    let processes = try ["a", "b"].map { try Torture("claim", path, $0, String(count)) }
    for process in processes { try await process.said(1) }
    try Data().write(to: URL(fileURLWithPath: path + ".go"))
    for process in processes {
      try await process.end()
      #expect(process.lines.last == "claimed")
    }
    let people = try await store.fetch(Query("Person"))
    #expect(people.count == count)
    #expect(Set(people.compactMap { $0["name"] }).count == count)
    // Both processes took part, or the test shows nothing.
    let makers = Set(people.compactMap { $0["by"]?.stringValue?.first })
    #expect(makers == ["a", "b"])
    #expect(try await store.check().findings == [])
    try await store.close()
  }
}
