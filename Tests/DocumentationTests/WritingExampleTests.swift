import Testing
import Varve

@Suite("The examples of writing behave as documented")
struct WritingExampleTests {
  @Test func `attempting a part`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let rows: [(EntityID, Value)] = [("hat-1", 39), ("hat-1", 41), ("hat-2", 45)]
    var refused: [EntityID] = []
    try await store.write { tx in
      for (id, price) in rows {
        do {
          try await tx.attempt {
            try await tx.create("Hat", id: id, ["price": price])
          }
        } catch let error as VarveError where error.code == .duplicateIdentifier {
          refused.append(id)
        }
      }
    }
    print(refused)  // ["hat-1"]
    // end
    #expect(refused == ["hat-1"])
    #expect(try await store.fetch(Query("Hat")).map { $0["price"] } == [39, 45])
  }

  @Test func `creating or changing`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let (id, outcome) = try await store.upsert("Tag", on: ["code"], ["code": "A", "price": 5])
    try await store.upsert("Tag", on: ["code"], ["code": "A", "price": 6])  // the same entity
    let other = try await store.insert("Tag", ifAbsent: ["code"], ["code": "A"])  // nil
    let isThere = try await store.exists(id)
    // end
    #expect(outcome == .created && other == nil && isThere)
    #expect(try await store.require(id)["price"] == 6)
  }

  @Test func `losing no update`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let id = try await store.create("Hat", ["price": 39, "color": "red"])
    try await store.update(id, ["price": 41], expecting: ["price": 39])
    do {
      try await store.update(id, ["price": 45], expecting: ["price": 39])
    } catch let error as VarveError where error.code == .changedMeanwhile {
      print(error.change?.present ?? "none")  // 41
    }
    // end
    #expect(try await store.require(id)["price"] == 41)
  }

  @Test func `updating by identifier, undoing and redoing`() async throws {
    let store = try await Store.open(.inMemory)
    let mug = try await store.save(Mug(price: 600))
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    try await store.update(mug.id) { $0.set(\.price, 450) }
    // end
    #expect(try await store.require(mug.id).price == 450)
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let edits = UndoStack(store)
    var cup = try await edits.record { try await store.save(Mug(price: 20)) }
    cup.price = 25
    try await edits.record { try await store.save(cup) }

    try await edits.undo()
    print(try await store.require(cup.id).price)  // 20
    try await edits.redo()
    print(try await store.require(cup.id).price)  // 25
    print(edits.canUndo, edits.canRedo)  // true false
    // end
    #expect(try await store.history(of: cup, \.price).map(\.value) == [25, 20, 25, 20])
    #expect(edits.canUndo && !edits.canRedo)
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let (died, commits) = try await store.recording { try await store.erase(cup) }
    let report = try await store.undo(commits[0].id)
    print(died == report.restored)  // true
    try await store.erase(cup)
    try await store.restore(cup.id)  // without a commit to undo
    // end
    #expect(died == report.restored)
    #expect(try await store.exists(cup.id))
  }

  @Test func `naming the author, and writing once`() async throws {
    var configuration = Store.Configuration()
    configuration.author = "ana"
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let store = try await Store.open(.inMemory, configuration: configuration)
    try await store.create("Hat", id: "hat-1")  // by the configuration's author
    try await Store.$author.withValue("ben") {
      try await store.set("hat-1", "color", "blue")  // by ben
    }
    try await store.once("seed-1") { tx in
      try await tx.create("Hat", id: "hat-fedora", ["color": "brown"])
    }
    // end
    #expect(try await store.log().map(\.author) == ["ana", "ben", "ana"])
    #expect(try await store.count(Query("Hat")) == 2)
  }

  @Test func `the examples of writing behave as documented writing to all of a query`() async throws
  {
    let store = try await Store.open(.inMemory)
    let prices: [Value] = [10, 600, 700]
    let rows = prices.enumerated().map {
      (EntityID(stringLiteral: "hat-\($0 + 1)"), [$1] as [Value?])
    }
    try await store.write { try await $0.create("Hat", keys: ["price"], rows: rows) }
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    try await store.write { tx in
      let dear = Query("Hat").where(Field("price") > 500)
      let count = try await tx.update(dear, ["price": 500, "color": nil])
      let died = try await tx.erase(Query("Hat").where(Field("price") < 50))
      print(count, died)  // 2 ["hat-1"]
    }
    // end
    #expect(try await store.fetch(Query("Hat")).map { $0["price"] } == [500, 500])
  }

  @Test func `the examples of writing behave as documented writing to all models of a query`()
    async throws
  {
    let store = try await Store.open(.inMemory)
    try await store.save([Mug(price: 600), Mug(price: 20)])
    // snippet: Sources/VarveStore/VarveStore.docc/WritingSafely.md
    let count = try await store.update(Mug.where { $0.price > 500 }) {
      $0.set(\.price, 500)
      $0.set(\.label, "sale")
    }
    // end
    #expect(count == 1)
    #expect(try await store.fetch(Mug.all).map(\.label) == ["sale", nil])
  }
}

@Entity struct Mug {
  var id = Identifier<Mug>()
  var price: Int
  var label: String?
}
