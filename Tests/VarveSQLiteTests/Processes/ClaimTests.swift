import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Two processes of four tasks each", .serialized)
struct ClaimTests {
  @Test(arguments: [false, true]
  )
  func `that create the same names if missing make one entity a name`(isIndexed: Bool) async throws
  {
    // A process that gets no time while the other works shows nothing: then both begin anew.
    var makers: Set<Character> = []
    for _ in 0..<5 where makers.count < 2 { makers = try await claimTogether(isIndexed) }
    #expect(makers == ["a", "b"])
  }

  /// Lets both processes create the names, and returns those that created some.
  private func claimTogether(_ isIndexed: Bool) async throws -> Set<Character> {
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
    #expect(try await store.check().findings == [])
    try await store.close()
    return Set(people.compactMap { $0["by"]?.stringValue?.first })
  }
}
