import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("The history of to-many properties")
struct CollectionHistoryTests {
  private func told(_ versions: [Version]) -> [String] {
    versions.map { version in
      switch version.content {
      case .add(_, let target, _, _): "+\(target)"
      case .remove(_, let target, let adds): "-\(target) \(adds.count)"
      case .collection: "collection"
      case .life: "life"
      default: version.value?.description ?? "removed"
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `additions and removals are in it, newest first`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Team", id: "t", ["name": "A"])
    try await store.setCollection("t", "players", to: ["a", "b", "a"])
    try await store.setCollection("t", "players", to: ["b", "c"])
    let versions = try await store.history(of: "t", "players")
    #expect(Set(told(versions).prefix(3)) == ["-a 2", "+c", "collection"])
    #expect(told(versions).dropFirst(3) == ["+a", "+b", "+a", "collection"])
    #expect(versions.allSatisfy { $0.key == "players" })
    #expect(try await store.history(of: "t").count == 9)
    #expect(try await store.history(of: "t", "players", limit: 3).count == 3)
    #expect(try await told(store.history(of: "t", "name")) == ["A"])
  }

  @Test(arguments: Engine.allCases)
  func `a past state has the additions up to it, and other relations are not listed`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.create("Team", id: "t", at: .test(0))
    try await store.create("Player", id: "a", at: .test(0))
    try await store.setCollection("t", "players", to: ["a"], at: .test(1))
    try await store.relate("t", .owns, "a", named: "players")
    try await store.setCollection("t", "players", to: [], at: .test(3))
    let then = try store.asOf(.test(2))
    #expect(try await told(then.history(of: "t", "players")) == ["+a", "collection"])
    #expect(try await told(store.history(of: "t", "players")).first == "-a 1")
    #expect(try await told(store.history(of: "t")).filter { $0 == "+a" }.count == 1)
  }

  @Test(arguments: Engine.allCases, 0..<10 as Range<UInt64>)
  func `a list set for a past time is valid until its next stored change`(
    engine: Engine,
    seed: UInt64
  ) async throws {
    let store = try await makeStore(engine)
    var random = SplitMix64(seed: seed)
    try await store.create("Team", id: "t", at: .test(-9))
    let lists: [[EntityID]] = [["a", "b"], ["b", "a", "b"], [], ["c", "a"], ["b", "c", "a"]]
      .shuffled(using: &random)
    for time in lists.indices.shuffled(using: &random) {
      try await store.write(at: .test(Double(time))) { tx in
        if let past = try await tx.past() {
          _ = try await tx.setCollection("t", "x", to: lists[time], as: .list, in: past)
        } else {
          try await tx.setCollection("t", "x", to: lists[time])
        }
      }
    }
    for (time, list) in lists.enumerated() {
      #expect(
        try await store.asOf(.test(Double(time))).collection(of: "t", "x") == list,
        "at \(time)"
      )
    }
    #expect(try await store.collection(of: "t", "x") == lists[4])
    #expect(try await store.check().findings.isEmpty)
  }
}
