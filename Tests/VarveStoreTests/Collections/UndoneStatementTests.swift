import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Undoes statements of to-many properties for dates, beside others that say the same.
@Suite struct UndoneStatementTests {
  private static let ids: [EntityID] = ["a", "b", "c", "d"]

  private func store(_ engine: Engine) async throws -> Store {
    let store = try await makeStore(engine)
    try await store.write(at: .year(2000)) { tx in
      for id in Self.ids + ["l"] { try await tx.create("node", id: id) }
    }
    return store
  }

  /// States the elements from a year on, and returns the commit.
  private func state(
    _ store: Store,
    _ elements: [EntityID],
    as kind: CollectionKind,
    from year: Int
  ) async throws -> CommitID {
    let (_, commit) = try await store.commit(at: .year(year)) { tx in
      try await tx.setCollection("l", "list", to: elements, as: kind)
    }
    return try #require(commit).id
  }

  @Test(arguments: Engine.allCases, CollectionKind.allCases)
  func `elements that a later date states again outlast the undo of an earlier statement`(
    engine: Engine,
    kind: CollectionKind
  ) async throws {
    let store = try await store(engine)
    let first = try await state(store, ["a"], as: kind, from: 2004)
    _ = try await state(store, ["a"], as: kind, from: 2011)
    #expect(try await store.undo(first).skipped == [])
    #expect(try await store.asOf(.year(2005)).collection(of: "l", "list") ?? [] == [])
    #expect(try await store.asOf(.year(2012)).collection(of: "l", "list") == ["a"])
    #expect(try await store.collection(of: "l", "list") == ["a"])
    #expect(try await store.check().findings == [])
  }

  @Test(arguments: Engine.allCases, CollectionKind.allCases)
  func `the undo of a statement ends at the next one`(
    engine: Engine,
    kind: CollectionKind
  ) async throws {
    let store = try await store(engine)
    _ = try await state(store, ["c", "a"], as: kind, from: 2003)
    let middle = try await state(store, ["d", "b"], as: kind, from: 2009)
    _ = try await state(store, ["d", "c"], as: kind, from: 2012)
    try await store.undo(middle)
    let former = try await store.asOf(.year(2010)).collection(of: "l", "list")
    #expect(former.map(sorted(kind)) == sorted(kind)(["c", "a"]))
    #expect(
      try await store.collection(of: "l", "list").map(sorted(kind)) == sorted(kind)(["d", "c"])
    )
  }

  @Test(arguments: 0..<24)
  func `after undos, each date has what the last statement that is left says`(
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let kind = CollectionKind.allCases[Int(seed % 3)]
    let store = try await store(seed % 2 == 0 ? .memory : .file)
    var stated: [Int: (commit: CommitID, elements: [EntityID])] = [:]
    var story = ""
    for _ in 0..<Int(random.next() % 4) + 2 {
      let year = 2001 + Int(random.next() % 12)
      guard stated[year] == nil else { continue }
      let elements = Self.ids.shuffled(using: &random).prefix(Int(random.next() % 4))
      let commit = try await state(store, Array(elements), as: kind, from: year)
      stated[year] = (commit, Array(elements))
      story += "\(year): \(Array(elements)); "
    }
    for year in stated.keys.sorted().shuffled(using: &random).prefix(2) {
      try await store.undo(try #require(stated[year]).commit)
      stated[year] = nil
      story += "undo \(year); "
      for year in 2000...2014 {
        let expected = stated.filter { $0.key <= year }.max { $0.key < $1.key }?.value.elements
        let found = try await store.asOf(.year(year)).collection(of: "l", "list")
        #expect(sorted(kind)(found ?? []) == sorted(kind)(expected ?? []), "\(story)\(year)")
      }
    }
    #expect(try await store.check().findings == [])
  }

  /// Returns a function that sorts the elements of a set, which have no order.
  private func sorted(_ kind: CollectionKind) -> ([EntityID]) -> [EntityID] {
    { kind == .set ? $0.sorted() : $0 }
  }
}
