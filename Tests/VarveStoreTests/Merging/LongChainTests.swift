import Foundation
import Testing
import VarveCore
import VarveStore

@Suite("Chains that are longer here than there")
struct LongChainTests {
  /// A store that holds more than one part of a merge (8 MiB) in one chain.
  private func makeLong() async throws -> Store {
    let store = try await makeStore(.memory)
    var random = SystemRandomNumberGenerator()
    for n in 0..<5 {
      let words = (0..<(256 << 10)).map { _ in random.next() }
      let bytes = words.withUnsafeBytes { Data($0) }
      try await store.create("Film", id: EntityID("film \(n)"), ["bytes": .data(bytes)])
    }
    return store
  }

  @Test func `do not hide new commits, and are not sent again`() async throws {
    let here = try await makeLong()
    let there = try await makeStore(.memory)
    try await there.merge(from: here)
    try await there.create("Film", id: "new")
    try await here.create("Film", id: "only here")
    var counts: [Int] = []
    let report = try await here.merge(from: there) { counts.append($0.totalCount) }
    #expect(report.commitCount == 1)
    #expect(counts == [1])
    #expect(try await here.entity("new") != nil)
  }
}
