import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("What a commit of a forked chain changed")
struct ForkedChangesTests {
  @Test func `is compared with what its author had seen, each commit of it named once`()
    async throws
  {
    let scratch = try Scratch()
    let (left, right) = (scratch.path("left.varve"), scratch.path("right.varve"))
    let first = try await Store.open(left)
    try await first.create("node", id: "before")
    try await first.create("node", id: "last")
    try await first.close()
    try FileManager.default.copyItem(atPath: left, toPath: right)

    let (one, two) = (try await Store.open(left), try await Store.open(right))
    for id in ["l1", "l2"] as [EntityID] { try await one.create("node", id: id) }
    for id in ["r1", "r2"] as [EntityID] { try await two.create("node", id: id) }
    try await one.sync(with: two)
    try await two.create("node", id: "both")
    try await one.sync(with: two)
    for store in [one, two] {
      let log = try await store.log()
      #expect(log.count == 7)
      for commit in log {
        let changes = try await store.changes(by: commit.id)
        #expect(Set(changes.basis.heads).count == changes.basis.heads.count, "\(commit.id)")
        #expect(changes.difference.added.count == 1)
        #expect(changes.difference.ended.isEmpty && changes.difference.changed.isEmpty)
      }
      try await store.close()
    }
  }
}
