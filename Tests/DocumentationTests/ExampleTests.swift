import Foundation
import Testing
import VarveJSON
import VarveReferences
import VarveStore

/// The code of the documentation, run on stores in memory. `SnippetTests` ensures that the
/// documents contain the code between the markers here.
@Suite("The examples of the documentation behave as documented")
struct ExampleTests {
  @Test func `the tour of the package runs`() async throws {
    // snippet: Documentation/Tour.md
    let store = try await Store.open(.inMemory)  // a file: Store.open("hats.varve")
    let shop = try await store.as("sam").create("Shop", ["name": "Fedora & Sons"])
    let hat = try await store.as("sam").create("Hat", ["color": "red", "brim_size": 12])

    try await store.write(author: "ana", message: "repainted") { tx in  // one commit, or nothing
      try await tx.set(hat, "color", "blue")
      try await tx.relate(shop, .owns, hat)
    }
    for version in try await store.history(of: hat, "color") {  // newest first: blue, then red
      print(version.time.date, version.description, version.author ?? "-")
    }
    // end
    #expect(try await store.history(of: hat, "color").map(\.value) == ["blue", "red"])
    let lastMonday = Date(timeIntervalSinceNow: -3 * 86_400)
    // snippet: Documentation/Tour.md
    let wide = Query("Hat").where(Field("brim_size") > 10 && Field("color") == "blue")
    let hats = try await store.fetch(wide.order(by: Field("brim_size")).limit(20))
    let then = try await store.asOf(lastMonday).fetch(wide)  // the same query on a past state

    try await store.erase(shop)  // erases the hat too: it has no other owner
    try await store.restore(shop)  // and brings both back

    let copy = try await Store.open(.inMemory)
    try await copy.merge(from: store)
    try await copy.as("ben").set(hat, "price", 39.5)
    try await store.merge(from: copy)  // both are equal now
    // end
    #expect(hats.map(\.id) == [hat])
    #expect(then.isEmpty)
    #expect(try await store.require(hat)["price"] == 39.5)
    #expect(try await store.frontier() == copy.frontier())
  }

  @Test func `getting started`() async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let store = try await Store.open(.inMemory)
    // end
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let id = try await store.as("sam").create("Hat", ["color": "red", "brim_size": 12])
    try await store.as("ana").set(id, "color", "blue")
    let hat = try await store.require(id)
    print(hat.type, hat["color"] ?? "no color", hat.modified.date)
    // end
    #expect(hat["color"] == "blue")
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let first = try await store.save("Hat", id: "hat-7", ["color": "green"])  // .created
    let again = try await store.save("Hat", id: "hat-7", ["color": "green"])  // .unchanged
    // end
    #expect(first == .created)
    #expect(again == .unchanged)
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let (count, commit) = try await store.commit(author: "sam", message: "spring prices") { tx in
      let hats = try await tx.fetch(Query("Hat"))
      for hat in hats { try await tx.set(hat.id, "price", 39.5) }
      return hats.count
    }
    print("\(count) prices in commit \(commit?.id.description ?? "none")")
    // end
    #expect(count == 2)
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let query = Query("Hat")
      .where(Field("brim_size") > 10 || Field("brim_size").isMissing)
      .order(by: Field("price"), descending: true)
      .limit(10)
    let hats = try await store.fetch(query)
    let howMany = try await store.count(query)
    for try await hat in store.stream(Query("Hat")) { print(hat.id) }
    // end
    #expect(hats.count == 2)
    #expect(howMany == 2)
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    let (newest, total) = try await store.read { snapshot in
      (
        try await snapshot.first(Query("Hat").order(by: .modified, descending: true)),
        try await snapshot.count(Query("Hat"))
      )
    }
    // end
    #expect(newest != nil)
    #expect(total == 2)
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    do {
      _ = try await store.require("hat-99")
    } catch let error as VarveError where error.code == .notFound {
      print(error)  // code, message, place, and what to do instead
    }
    // end
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    try await store.close()
    // end
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).varve")
    defer { try? FileManager.default.removeItem(at: url) }
    // snippet: Sources/VarveStore/VarveStore.docc/GettingStarted.md
    var configuration = Store.Configuration()
    configuration.sqlLog = SQLLog(slowerThan: .milliseconds(100))
    let logged = try await Store.open(url: url, configuration: configuration)
    // end
    try await logged.close()
  }

  @Test func `history and the past`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md
    let march = try Date("2024-03-01T00:00:00Z", strategy: .iso8601)
    let april = try Date("2024-04-01T00:00:00Z", strategy: .iso8601)
    let may = try Date("2024-05-01T00:00:00Z", strategy: .iso8601)
    try await store.create("Hat", id: "hat-1", ["color": "red"], at: march)
    try await store.as("ana").set("hat-1", "color", "blue", at: may)

    let now = try await store.require("hat-1")["color"]  // blue
    let then = try await store.asOf(april).require("hat-1")["color"]  // red
    // end
    #expect(now == "blue")
    #expect(then == "red")
    // snippet: Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md
    for version in try await store.history(of: "hat-1", "color", limit: 10) {
      print(version.time.date, version.description, version.commit.id)
    }
    for commit in try await store.log(limit: 10) {
      print(commit.time.date, commit.author ?? "-", commit.message ?? "")
    }
    // end
    #expect(try await store.log().count == 2)
    // snippet: Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md
    let timeline = try await store.timeline(of: .entity("hat-1"), intervals: 50, by: .author)
    print(timeline.intervals.map(\.count), timeline.series.map(\.name))
    let newest = try await store.log(limit: 1)[0]
    let former = try await store.commits(around: newest.time).previous  // the creation
    // end
    #expect(timeline.total == 2)
    #expect(former?.id.sequence == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md
    let release = try await store.frontier()
    try await store.set("hat-1", "color", "green", at: march)  // a late entry about the past
    let byTime = try await store.asOf(april).require("hat-1")["color"]  // green
    let bySet = try await store.asOf(release).require("hat-1")["color"]  // blue
    // end
    #expect(byTime == "green")
    #expect(bySet == "blue")
    // snippet: Sources/VarveStore/VarveStore.docc/HistoryAndThePast.md
    let (before, count) = try await store.asOf(april).read { snapshot in
      (try await snapshot.fetch(Query("Hat")), try await snapshot.count(Query("Hat")))
    }
    // end
    #expect(before.count == count)
  }

  @Test func `owning and erasing`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveStore/VarveStore.docc/OwningAndErasing.md
    try await store.write(author: "sam") { tx in
      try await tx.create("Shop", id: "shop-1")
      try await tx.create("Hat", id: "hat-1")
      try await tx.create("Hat", id: "hat-2")
      try await tx.relate("shop-1", .owns, "hat-1")
      try await tx.relate("hat-2", .ownedBy, "shop-1")  // the same edge, from the other end
      try await tx.relate("hat-1", .free, "hat-2", named: "resembles")
    }
    let hats = try await store.relatedIDs("shop-1", .owns)  // hat-1, hat-2
    // end
    #expect(hats == ["hat-1", "hat-2"])
    // snippet: Sources/VarveStore/VarveStore.docc/OwningAndErasing.md
    let died = try await store.erase("shop-1")  // shop-1, hat-1, hat-2
    let status = try await store.status(of: "hat-1")  // .dead
    let back = try await store.restore("shop-1")  // the same three
    // end
    #expect(died == ["shop-1", "hat-1", "hat-2"])
    #expect(status == .dead)
    #expect(back == died)
    // snippet: Sources/VarveStore/VarveStore.docc/OwningAndErasing.md
    try await store.erase("shop-1")
    do {
      try await store.restore("hat-1")
    } catch let error as VarveError where error.code == .ownersDead {
      try await store.restore("hat-1", .asRoot)  // or .withOwners
    }
    // end
    #expect(try await store.status(of: "shop-1") == .erased)
    #expect(try await store.status(of: "hat-1") == .live("Hat"))
    // snippet: Sources/VarveStore/VarveStore.docc/OwningAndErasing.md
    try await store.create("Shop", id: "shop-1", ["name": "Fedora & Daughters"])
    let owned = try await store.relatedIDs("shop-1", .owns)  // none
    let lives = try await store.history(of: "shop-1")  // includes the first shop's history
    // end
    #expect(owned.isEmpty)
    #expect(lives.count > 2)
  }

  @Test func `naming many at once`() async throws {
    let store = try await Store.open(.inMemory)
    // snippet: Sources/VarveReferences/VarveReferences.docc/NamingManyAtOnce.md
    let ann = EntityReference("name", equals: "Ann").creating("person", ["age": 30])
    // Ann, who is created if missing; nil if there is no person-7
    let found = try await store.findOrCreate([ann, "person-7"])
    // end
    #expect(found.map { $0?.type } == ["person", nil])
    // snippet: Sources/VarveReferences/VarveReferences.docc/NamingManyAtOnce.md
    let book = EntityReference("test-book").creating("book")
    try await store.set([
      ann.updating([
        "home": .value("12 High St", semanticType: "address"),
        "reads": .to(book),  // a reference as a value, made if missing
        .keyed("author", by: book): true,  // stored as author-test-book
      ])
    ])
    let results = try await store.properties(["age", "home"], of: [ann, "ben"])
    let home = results[0]?["home"]?.semanticType  // address
    // end
    #expect(results[1] == nil)
    #expect(home == "address")
    // snippet: Sources/VarveReferences/VarveReferences.docc/NamingManyAtOnce.md
    try await store.define(Prototype("fedora", for: "Hat", ["brim_size": .init(9)]))
    let hat = try await store.create("Hat", prototype: "fedora", ["color": "red"])
    // end
    #expect(try await store.require(hat)["brim_size"] == 9)
    // snippet: Sources/VarveReferences/VarveReferences.docc/NamingManyAtOnce.md
    struct Person: CustomReference {
      static let entityType: EntityType = "person"
      let found: FoundEntity
      init(_ found: FoundEntity) { self.found = found }
    }
    store.register(Person.self)
    let people = try await store.findOrCreate(
      [Person.named("name", equals: "Ben")],
      as: Person.self
    )
    // end
    #expect(people[0]?.type == "person")
  }

  @Test func `observing changes`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", id: "hat-1", ["size": 8])
    // snippet: Sources/VarveStore/VarveStore.docc/ObservingChanges.md
    let changes = try await store.changes()
    let hats = try await store.fetch(Query("Hat"))
    try await store.set("hat-1", "color", "blue")
    for try await change in changes {
      print(change.action.rawValue, change.changed, change.keys)  // set [hat-1] [color]
      break
    }
    // end
    #expect(hats.count == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/ObservingChanges.md
    let since = try await store.frontier()
    try await store.set("hat-1", "size", 9)
    let missed = try await store.changes(since: since).poll()  // origin past, hat-1, size
    // end
    #expect(missed?.origin == .past)
    #expect(missed?.keys == ["size"])
    // snippet: Sources/VarveStore/VarveStore.docc/ObservingChanges.md
    var results = try await store.observe(Query("Hat").where(Field("size") > 7)).makeAsyncIterator()
    let first = try await results.next()
    try await store.create("Hat", ["size": 11])
    let second = try await results.next()
    // end
    #expect(first?.count == 1)
    #expect(second?.count == 2)
  }

  @Test func `to-many properties`() async throws {
    let store = try await Store.open(.inMemory)
    let ids: [EntityID] = ["team", "ana", "ben", "cleo"]
    for id in ids { try await store.create("Node", id: id) }
    // snippet: Sources/VarveStore/VarveStore.docc/ToManyProperties.md
    try await store.setCollection("team", "players", to: ["ana", "ben"])
    try await store.addToCollection("team", "players", ["cleo"])
    try await store.removeFromCollection("team", "players", ["ana"])
    let players = try await store.collection(of: "team", "players")  // ["ben", "cleo"]
    // end
    #expect(players == ["ben", "cleo"])
    // snippet: Sources/VarveStore/VarveStore.docc/ToManyProperties.md
    let before = try await store.frontier()
    try await store.setCollection("team", "players", to: ["cleo", "ben"])
    let then = try await store.asOf(before).collection(of: "team", "players")  // ["ben", "cleo"]
    let change = try await store.diff(from: .frontier(before)).changed[0].collections[0]
    print(change.key, change.old ?? [], change.new ?? [])  // players [ben, cleo] [cleo, ben]
    // end
    #expect(then == ["ben", "cleo"])
    #expect(change.new == ["cleo", "ben"])
  }

  @Test func `mapping: the same mapping in Swift`() async throws {
    // snippet: Documentation/Mapping.md
    let book = Mapping("Book", identifiedBy: "isbn", types: ["pages": .int]) {
      Attribute("isbn")
      Attribute("details.title", to: "title")
      Attribute("details.pages", to: "pages")
      Attribute("published", .date("yyyy-MM-dd"))
      Attribute("status", .enumeration("status", ["A": "available", "S": "sold out"]))
      ToOne("publisher", of: "Publisher")
      ToMany(ids: "authors", of: "Author", as: .set)
    }
    // end
    let author = Mapping("Author", identifiedBy: "number") {
      Attribute("number")
      Attribute("name")
    }
    let publisher = Mapping("Publisher", identifiedBy: "name") { Attribute("name") }
    let store = try await Store.open(.inMemory)
    let books = try Repository.text("Documentation/Mapping.md").components(
      separatedBy: "```json books.json\n"
    )[1].components(separatedBy: "```")[0]
    // snippet: Documentation/Mapping.md
    var mappings = Mappings([book, author, publisher])
    mappings.roots = [.init(at: "/books", as: "Book"), .init(at: "/authors", as: "Author")]
    let report = try await store.import(DocumentSource(text: books), by: mappings)
    let objects = try await store.objects(of: ["Book/0-7475"], as: "Book", by: mappings)
    // end
    #expect(report.createdCount == 4 && report.stubCount == 1 && report.diagnosticCount == 1)
    #expect(objects.first?["details"] == ["title": "Hats", "pages": 224])
    #expect(objects.first?["status"] == "A")
  }
}
