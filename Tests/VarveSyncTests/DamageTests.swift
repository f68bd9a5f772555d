import Foundation
import Testing
import VarveCore
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("A damaged commit", .enabled(if: PlainFiles.areUsed))
struct DamageTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A store whose own second commit is damaged on the disk, with commits of another after it.
  private func makeDamaged() async throws -> (store: Store, other: Store) {
    let path = scratch.path("damaged")
    let store = try await Store.open(path)
    let other = try await Store.open(.inMemory)
    try await store.create("Hat", id: "first")
    try await other.create("Hat", id: "apart")
    try await store.create("Hat", id: "second", ["color": "vermilion"])
    try await store.create("Hat", id: "third")
    try await store.merge(from: other)
    try await store.close()
    let file = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: file)
    while let range = bytes.range(of: Data("vermilion".utf8)) {
      bytes.replaceSubrange(range, with: Data("vermilium".utf8))
    }
    try bytes.write(to: file)
    return (try await Store.open(path), other)
  }

  @Test func `a damaged commit is parked by name, and does not stop other commits`() async throws {
    let (store, other) = try await makeDamaged()
    let fresh = try await Store.open(.inMemory)
    let report = try await fresh.sync(with: store)
    #expect(report.parked.map(\.commit.sequence) == [2])
    #expect(report.parked.first?.error.code == .damaged)
    #expect(report.waiting.map(\.needed.sequence) == [2])
    #expect(report.waiting.map(\.commitCount) == [1])
    #expect(!report.isComplete)
    #expect(try await fresh.entity("first") != nil)
    #expect(try await fresh.entity("apart") != nil)
    #expect(try await fresh.entity("second") == nil)
    #expect(try await fresh.check().findings == [])
    // Undamaged commits are sent in the other direction meanwhile.
    try await fresh.create("Hat", id: "from fresh")
    let back = try await store.sync(with: fresh)
    #expect(back.receivedCount == 1)
    #expect(back.parkedThere.count == 1)
    for store in [store, other, fresh] { try await store.close() }
  }

  @Test func `ends a merge with its error, once all that does not depend on it has come`()
    async throws
  {
    let (store, _) = try await makeDamaged()
    let fresh = try await Store.open(.inMemory)
    let error = await #expect(throws: VarveError.self) { try await fresh.merge(from: store) }
    #expect(error?.code == .damaged && error?.place != nil)
    #expect(try await fresh.entity("first") != nil)
    #expect(try await fresh.entity("apart") != nil)
    #expect(try await fresh.entity("third") == nil)
    #expect(try await fresh.check().findings == [])
    for store in [store, fresh] { try await store.close() }
  }

  @Test
  func `is parked on its way through a folder too, and repaired by any store that has it complete`()
    async throws
  {
    let (store, _) = try await makeDamaged()
    let folder = scratch.path("f")
    _ = try await store.sync(folder: folder)
    let fresh = try await Store.open(.inMemory)
    let report = try await fresh.sync(folder: folder)
    #expect(report.parked.count == 1)
    #expect(try await fresh.entity("first") != nil)
    #expect(try await fresh.entity("apart") != nil)
    #expect(try await fresh.entity("third") == nil)
    try await store.close()
  }
}
