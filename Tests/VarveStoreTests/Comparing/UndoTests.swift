import Testing
import VarveCore
import VarveStore

@Suite struct UndoTests {
  @Test(arguments: Engine.allCases)
  func `undo restores a property's earlier value, or removes it`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red"])
    let done = try await store.commit { try await $0.set("a", ["color": "blue", "size": 1]) }
    let report = try await store.undo(try #require(done.commit).id, author: "sam")
    #expect(try await store.entity("a")?["color"] == "red")
    #expect(try await store.entity("a")?["size"] == nil)
    #expect(report.properties.count == 2)
    #expect(report.skipped.isEmpty)
    #expect(try await store.history(of: "a", "color").map(\.value) == ["red", "blue", "red"])
    #expect(try await store.log(limit: 1).first?.author == "sam")
  }

  @Test(arguments: Engine.allCases)
  func `undo keeps later changes, and lists them`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red", "size": 1])
    let done = try await store.commit { try await $0.set("a", ["color": "blue", "size": 2]) }
    try await store.as("ana").set("a", "color", "green")
    let report = try await store.undo(try #require(done.commit).id)
    #expect(try await store.entity("a")?["color"] == "green")
    #expect(try await store.entity("a")?["size"] == 1)
    #expect(report.skipped.map(\.reason) == [.changedSince])
    #expect(report.skipped.first?.key == "color")
    #expect(report.skipped.first?.changedBy?.author == "ana")
  }

  @Test(arguments: Engine.allCases)
  func `undo of a purge restores what lived, without data, and is refused if nothing did`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a", ["color": "red"])
    try await store.purge(["a"])
    let deadly = try #require(try await store.log(limit: 1).first)
    #expect(try await store.undo(deadly.id).restored == ["a"])
    #expect(try await store.require("a").properties.isEmpty)
    try await store.set("a", "color", "blue")
    try await store.erase("a")
    try await store.purge(["a"])
    let purge = try #require(try await store.log(limit: 1).first)
    await #expect { try await store.undo(purge.id) } throws: { error in
      (error as? VarveError)?.code == .invalidArgument
    }
    await #expect(throws: VarveError.self) { try await store.previewUndo(purge.id) }
    #expect(try await store.log(limit: 1).first == purge)
  }

  @Test(arguments: Engine.allCases)
  func `undo of a creation names the latest of the later changes`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let done = try await store.commit { try await $0.create("Hat", id: "a", ["color": "red"]) }
    for key in ["b", "c", "d", "e", "f"] {
      try await store.as(key).set("a", PropertyKey(key), 1)
    }
    let report = try await store.previewUndo(try #require(done.commit).id)
    #expect(report.skipped.map(\.changedBy?.author) == ["f"])
    #expect(try await store.undo(try #require(done.commit).id).skipped == report.skipped)
  }

  @Test(arguments: Engine.allCases)
  func `an undone undo leaves a relation that another commit declared too, and names that commit`(
    engine: Engine
  ) async throws {
    let (store, other) = (try await makeStore(engine), try await makeStore(engine))
    try await store.createNodes("shop", "hat")
    try await other.merge(from: store)
    try await other.write(author: "ben") { try await $0.relate("shop", .owns, "hat") }
    let done = try await store.commit { try await $0.relate("shop", .owns, "hat") }
    try await store.merge(from: other)
    let undone = try await store.undo(try #require(done.commit).id)
    #expect(try await store.relatedIDs("shop", .owns) == ["hat"])
    let report = try await store.undo(try #require(undone.commit).id)
    #expect(report.skipped.map(\.reason) == [.doneByAnother])
    #expect(report.skipped.first?.changedBy?.author == "ben")
    #expect(try await store.relatedIDs("shop", .owns) == ["hat"])
  }

  @Test(arguments: Engine.allCases)
  func `undo erases entities that the commit created, and restores those it erased`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("shop", "hat")
    try await store.own(("shop", "hat"))
    let created = try await store.commit { tx in
      try await tx.create("node", id: "new")
      try await tx.relate("shop", .owns, "new")
    }
    let erased = try await store.commit { try await $0.erase("shop") }
    let back = try await store.undo(try #require(erased.commit).id)
    #expect(Set(back.restored) == ["shop", "hat", "new"])
    let gone = try await store.undo(try #require(created.commit).id)
    #expect(gone.erased == ["new"])
    #expect(try await store.live("shop", "hat", "new") == ["shop", "hat"])
  }

  @Test(arguments: Engine.allCases)
  func `undo keeps an entity it would erase together with changes of others`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    let done = try await store.commit { tx in
      try await tx.create("node", id: "shop")
      try await tx.create("node", id: "hat")
      try await tx.relate("shop", .owns, "hat")
    }
    try await store.set("hat", "color", "red")
    let report = try await store.undo(try #require(done.commit).id)
    #expect(report.erased.isEmpty)
    #expect(Set(report.skipped.map(\.entity)) == ["shop", "hat"])
    #expect(try await store.live("shop", "hat") == ["shop", "hat"])
  }

  @Test(arguments: Engine.allCases)
  func `undo takes relations back and declares them again`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.relate("a", .free, "b")
    let done = try await store.commit { tx in
      try await tx.relate("a", .owns, "c")
      try await tx.unrelate("a", .free, "b")
    }
    let report = try await store.undo(try #require(done.commit).id)
    #expect(try await store.relatedIDs("a", .owns) == [])
    #expect(try await store.relatedIDs("a", .free) == ["b"])
    #expect(report.unrelated.map(\.target) == ["c"])
    #expect(report.related.map(\.target) == ["b"])
    #expect(try await store.live("a", "b", "c") == ["a", "b", "c"])
  }

  @Test(arguments: Engine.allCases)
  func `an undo can be undone`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    let done = try await store.commit { try await $0.create("Hat", id: "a", ["color": "red"]) }
    let undone = try await store.undo(try #require(done.commit).id)
    #expect(try await store.entity("a") == nil)
    try await store.undo(try #require(undone.commit).id)
    #expect(try await store.entity("a")?["color"] == "red")
  }

  @Test func `a commit is found by the beginning of its hash`() async throws {
    let store = try await makeStore(.reference)
    let done = try await store.commit { try await $0.create("Hat", id: "a") }
    let id = try #require(done.commit).id
    #expect(try await store.commit(named: id.description).id == id)
    #expect(await failure { _ = try await store.commit(named: "0") }?.code == .invalidArgument)
    #expect(await failure { _ = try await store.commit(named: "zzzz") }?.code == .invalidArgument)
    let other = String(repeating: "0", count: 16)
    #expect(await failure { _ = try await store.commit(named: other) }?.code == .notFound)
  }

  @Test(arguments: Engine.allCases)
  func `a to-many property added by a commit is removed, unless others added to it`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a", "b")
    try await store.setCollection("t", "x", to: ["a"])
    try await store.undo(store.log()[0].id)
    #expect(try await store.collection(of: "t", "x") == nil)
    try await store.undo(store.log()[0].id)
    #expect(try await store.collection(of: "t", "x") == ["a"])
    try await store.setCollection("t", "y", to: ["a"])
    let begun = try await store.log()[0].id
    try await store.addToCollection("t", "y", ["b"])
    let report = try await store.undo(begun)
    #expect(report.skipped.map(\.key) == ["y"])
    #expect(try await store.collection(of: "t", "y") == ["b"])
  }

  @Test(arguments: Engine.allCases)
  func `a value in the place of a to-many property is undone, and the other way`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("t", "a")
    try await store.setCollection("t", "x", to: ["a"])
    try await store.set("t", "x", 1)
    try await store.undo(store.log()[0].id)
    #expect(try await store.collection(of: "t", "x") == ["a"])
    #expect(try await store.require("t")["x"] == nil)
    try await store.set("t", "z", 2)
    try await store.setCollection("t", "z", to: ["a"])
    try await store.undo(store.log()[0].id)
    #expect(try await store.require("t")["z"] == 2)
    #expect(try await store.collection(of: "t", "z") == nil)
  }

  @Test(arguments: Engine.allCases)
  func `undoing the restore of an owner erases its entities again, and can be undone`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("s", "h")
    try await store.own(("s", "h"))
    try await store.erase("s")
    try await store.restore("s")
    #expect(try await store.undo(store.log()[0].id).erased == ["s", "h"])
    #expect(try await store.entity("h") == nil)
    #expect(try await store.undo(store.log()[0].id).restored == ["s", "h"])
    #expect(try await store.undo(store.log()[0].id).erased == ["s", "h"])
    try await store.restore("h", .withOwners)
    #expect(try await store.undo(store.log()[0].id).erased == ["s", "h"])
  }

  @Test(arguments: Engine.allCases)
  func `an undone restore as root is dead with its owner again, unless it was changed since`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("s", "h", "part")
    try await store.own(("s", "h"), ("h", "part"))
    try await store.erase("s")
    try await store.restore("h", .asRoot)
    let restored = try await store.log()[0].id
    #expect(try await store.undo(restored).erased == ["h", "part"])
    #expect(try await store.restore("s") == ["s", "h", "part"])
    try await store.erase("s")
    try await store.restore("h", .asRoot)
    let again = try await store.log()[0].id
    try await store.set("part", "size", 1)
    let report = try await store.undo(again)
    #expect(report.erased.isEmpty && report.skipped.map(\.reason) == [.changedSince])
    #expect(try await store.entity("part")?["size"] == 1)
  }

  @Test(arguments: Engine.allCases)
  func `an ownership removed before its owner was erased is not declared again`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("s", "h")
    try await store.own(("s", "h"))
    try await store.unrelate("s", .owns, "h")
    let taken = try await store.log()[0].id
    try await store.erase("s")
    #expect(try await store.undo(taken).skipped.map(\.reason) == [.notLive])
    #expect(try await store.entity("h") != nil)
  }
}
