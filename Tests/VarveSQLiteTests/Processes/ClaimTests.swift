import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Two processes of four tasks each", .serialized)
struct ClaimTests {
  @Test(
    "that create the same 1,000 names if missing make 1,000 entities",
    arguments: [false, true]
  )
  func claim(isIndexed: Bool) async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    let store = try await Store.open(path)
    if isIndexed { try await store.addIndex(on: "name", of: "Person") }
    let processes = [
      try Torture("claim", path, "a", "1000"), try Torture("claim", path, "b", "1000"),
    ]
    for process in processes { try await process.said(1) }
    try Data().write(to: URL(fileURLWithPath: path + ".go"))
    for process in processes {
      try await process.end()
      #expect(process.lines.last == "claimed")
    }
    let people = try await store.fetch(Query("Person"))
    #expect(people.count == 1_000)
    #expect(Set(people.compactMap { $0["name"] }).count == 1_000)
    // Both processes took part, or the test shows nothing.
    let makers = Set(people.compactMap { $0["by"]?.stringValue?.first })
    #expect(makers == ["a", "b"])
    #expect(try await store.check().findings == [])
    try await store.close()
  }
}
