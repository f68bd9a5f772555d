import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An undo restores the state before the commit, and its undo restores the state after it.
@Suite struct ExactUndoTests {
  /// All lists of some targets up to a length.
  private func lists(of targets: [EntityID], upTo length: Int) -> [[EntityID]] {
    guard length > 0 else { return [[]] }
    let shorter = lists(of: targets, upTo: length - 1)
    let longest = shorter.filter { $0.count == length - 1 }
    return shorter + longest.flatMap { list in targets.map { list + [$0] } }
  }

  @Test(arguments: CollectionKind.allCases)
  func `undoing any change of a small to-many property restores its elements in order`(
    kind: CollectionKind
  ) async throws {
    let targets: [EntityID] = kind == .list ? ["a", "b"] : ["a", "b", "c"]
    let all = lists(of: targets, upTo: 3).filter { kind == .list || Set($0).count == $0.count }
    for from in all {
      let store = try await makeStore(.memory)
      try await store.createNodes("t", "a", "b", "c")
      try await store.setCollection("t", "x", to: from, as: kind)
      let before = try await store.collection(of: "t", "x")
      for to in all where to != from {
        let changed = try await store.commit {
          try await $0.setCollection("t", "x", to: to, as: kind)
        }
        guard let commit = changed.commit else { continue }
        let after = try await store.collection(of: "t", "x")
        let undone = try await store.undo(commit.id)
        #expect(undone.skipped.isEmpty, "\(from) to \(to)")
        #expect(try await store.collection(of: "t", "x") == before, "\(from) to \(to)")
        let redone = try await store.undo(try #require(undone.commit).id)
        #expect(redone.skipped.isEmpty, "\(from) to \(to)")
        #expect(try await store.collection(of: "t", "x") == after, "\(from) to \(to), again")
        try await store.undo(try #require(redone.commit).id)
        #expect(try await store.collection(of: "t", "x") == before, "\(from) to \(to), back")
      }
      #expect(try await store.check().findings == [])
    }
  }

  @Test(arguments: Engine.allCases, [RelationKind.owns, .free])
  func `undoing any change of relations leaves them in their order`(
    engine: Engine,
    kind: RelationKind
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b", "c")
    for target in ["a", "b", "c"] as [EntityID] { try await store.relate("t", kind, target) }
    for ended in lists(of: ["a", "b", "c"], upTo: 3) where Set(ended).count == ended.count {
      for isAgain in [false, true] where !ended.isEmpty {
        let changed = try await store.commit { tx in
          for target in ended { try await tx.unrelate("t", kind, target) }
          if isAgain { try await tx.relate("t", kind, ended[0]) }
        }
        let after = try await store.relatedIDs("t", kind)
        let undone = try await store.undo(try #require(changed.commit).id)
        #expect(undone.skipped.isEmpty, "\(ended)")
        #expect(try await store.relatedIDs("t", kind) == ["a", "b", "c"], "\(ended)")
        try await store.undo(try #require(undone.commit).id)
        #expect(try await store.relatedIDs("t", kind) == after, "\(ended), again")
        try await store.undo(store.log()[0].id)
        #expect(try await store.relatedIDs("t", kind) == ["a", "b", "c"], "\(ended), back")
      }
    }
  }

  @Test(arguments: Engine.allCases)
  func `the undo of an undo does not restore the former ownership of a re-created owner`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("o", "p", "e")
    try await store.own(("o", "e"))
    let owning = try await store.commit { try await $0.relate("p", .owns, "e") }
    try await store.erase("o")
    try await store.createNodes("o")
    let undone = try await store.undo(try #require(owning.commit).id)
    #expect(try await store.relatedIDs("e", .ownedBy) == [])
    try await store.undo(try #require(undone.commit).id)
    #expect(try await store.relatedIDs("e", .ownedBy) == ["p"])
    #expect(try await store.live("o", "p", "e") == ["o", "p", "e"])
  }

  @Test(arguments: Engine.allCases)
  func `elements at one position are restored in their order`(engine: Engine) async throws {
    let (one, two) = (try await makeStore(engine), try await makeStore(engine))
    try await one.createNodes("t", "a", "b", "x", "y")
    try await one.setCollection("t", "x", to: ["a", "b"])
    try await two.merge(from: one)
    // Both authors insert an element half way between the same two.
    try await one.setCollection("t", "x", to: ["a", "x", "b"])
    try await two.setCollection("t", "x", to: ["a", "y", "b"])
    try await one.merge(from: two)
    let before = try #require(try await one.collection(of: "t", "x"))
    for target in ["x", "y"] as [EntityID] {
      try await one.removeFromCollection("t", "x", [target])
      #expect(try await one.undo(one.log()[0].id).skipped.isEmpty)
      #expect(try await one.collection(of: "t", "x") == before)
    }
  }

  @Test(arguments: Engine.allCases)
  func `the newest commit is undone, then the one before, as far as no other author wrote`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red"])
    var commits: [CommitID] = []
    for color in ["green", "blue"] as [Value] {
      try await store.as("sam").set("a", "color", color)
      commits.append(try await store.log()[0].id)
    }
    for (commit, color) in zip(commits.reversed(), ["green", "red"] as [Value]) {
      let report = try await store.undo(commit)
      #expect(report.skipped.isEmpty)
      #expect(report.commit?.undone == commit)
      #expect(try await store.require("a")["color"] == color)
    }
    let undos = try await store.log(limit: 2).map(\.id)
    for (undo, color) in zip(undos, ["green", "blue"] as [Value]) {
      #expect(try await store.undo(undo).skipped.isEmpty)
      #expect(try await store.require("a")["color"] == color)
    }
    // An equal value that the caller wrote is their change.
    try await store.as("ana").set("a", "color", "blue")
    let report = try await store.undo(commits[1])
    #expect(report.skipped.map(\.changedBy?.author) == ["ana"])
    #expect(try await store.require("a")["color"] == "blue")
  }
}
