import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Importing by mappings")
struct ImportingTests {
  @Test func `maps key paths, transforms and nested objects in one commit`() async throws {
    let store = try await makeStore()
    let report = try await store.import(
      """
      {"isbn": "1", "details": {"title": "Hats", "pages": 12}, "published": "1999-04-01",
        "publisher": {"name": "Chapeau"}, "authors": [5, 7], "chapters": [{"title": "One"}]}
      """,
      as: "Book"
    )
    let book = try await store.require("Book/1")
    #expect(report.ids == ["Book/1"] && report.createdCount == 3 && report.stubCount == 2)
    #expect(book["title"] == "Hats" && book["pages"] == 12)
    #expect(book["published"] == .date(try .iso("1999-04-01T00:00:00Z")))
    #expect(book["publisher"] == .reference("Publisher/Chapeau"))
    #expect(try await store.collection(of: book.id, "authors") == ["Author#5", "Author#7"])
    let chapters = try #require(try await store.collection(of: book.id, "chapters"))
    #expect(try await store.entities(chapters).first??["title"] == "One")
    #expect(try await store.commitCount == 1)
  }

  @Test func `an identity may be a property called identifier`() async throws {
    let store = try await makeStore()
    try await store.create("Tool", id: "t-1", ["identifier": "x"])
    let tool = Mapping("Tool", identifiedBy: "identifier") {
      Attribute("identifier")
      Attribute("name")
    }
    let report = try await store.import(
      #"{"identifier": "x", "name": "saw"}"#,
      as: "Tool",
      by: Mappings([tool])
    )
    #expect(report.ids == ["t-1"] && report.createdCount == 0)
    #expect(try await store.require("t-1")["name"] == "saw")
  }

  @Test func `importing again writes nothing`() async throws {
    let store = try await makeStore()
    let text = """
      [{"isbn": "1", "details": {"title": "Hats"}, "publisher": {"name": "C"}, "authors": [5]},
        {"isbn": "2", "authors": []}]
      """
    try await store.import(text, as: "Book")
    let report = try await store.import(text, as: "Book")
    #expect(report.commit == nil && report.createdCount == 0 && report.changedCount == 0)
    #expect(report.unchangedCount == 3)
    #expect(try await store.commitCount == 1)
  }

  @Test func `null clears, a missing key leaves alone, and a blocked path is told`() async throws {
    let store = try await makeStore()
    try await store.import(
      #"{"isbn": "1", "details": {"title": "T", "pages": 3}, "published": "2000-01-01"}"#,
      as: "Book"
    )
    try await store.import(#"{"isbn": "1", "details": {"title": null}}"#, as: "Book")
    var book = try await store.require("Book/1")
    #expect(book["title"] == nil && book["pages"] == 3)
    let report = try await store.import(#"{"isbn": "1", "details": "none"}"#, as: "Book")
    #expect(report.diagnostics.map(\.pointer) == ["/details", "/details"])
    book = try await store.require("Book/1")
    #expect(book["pages"] == 3)
    try await store.import(#"{"isbn": "1", "details": null}"#, as: "Book")
    book = try await store.require("Book/1")
    #expect(book["pages"] == nil && book["published"] != nil)
  }

  @Test func `where a mapping says so a missing key removes, and what cannot be used does not`()
    async throws
  {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Book"]?.clearsMissing = true
    let text = """
      {"isbn": "1", "details": {"title": "T", "pages": 3}, "published": "2000-01-01",
        "publisher": {"name": "P"}, "authors": [1]}
      """
    try await store.import(text, as: "Book", by: mappings)
    try await store.import(
      #"{"isbn": "1", "details": {"pages": "many"}, "authors": [1]}"#,
      as: "Book",
      by: mappings
    )
    let book = try await store.require("Book/1")
    #expect(book.keys == ["isbn", "pages"])
    #expect(try await store.collection(of: "Book/1", "authors") == ["Author#1"])
    try await store.import(#"{"isbn": "1"}"#, as: "Book", by: mappings)
    #expect(try await store.collection(of: "Book/1", "authors") == [])
    // A stub says nothing of anything else.
    try await store.import(#"{"name": "P", "books": ["1"]}"#, as: "Publisher", by: mappings)
    #expect(try await store.require("Book/1")["pages"] == nil)
  }

  @Test func `a value that cannot be used leaves the old one and is told with its place`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "published": "2000-01-01"}"#, as: "Book")
    let report = try await store.import(
      #"[{"isbn": "1", "published": "soon", "details": {"pages": "many"}}]"#,
      as: "Book"
    )
    #expect(Set(report.diagnostics.map(\.pointer)) == ["/0/published", "/0/details/pages"])
    #expect(report.unchangedCount == 1 && report.commit == nil)
    #expect(try await store.require("Book/1")["published"] != nil)
  }

  @Test func `a diagnostic says what is wrong with lists, and advises only what helps`()
    async throws
  {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings["Author"]?.types = ["name": .array]
    let report = try await store.import(
      #"{"number": [1], "name": [1, null]}"#,
      as: "Author",
      by: mappings
    )
    #expect(
      report.diagnostics.map(\.reason)
        == ["an array is not an identifying value", "[1,null] contains null, which values cannot"]
    )
    mappings["Author"]?.types = ["name": .string]
    let typed = try await store.import(
      #"{"number": 1, "name": {"a": 1}}"#,
      as: "Author",
      by: mappings
    )
    #expect(typed.diagnostics.map(\.reason) == ["an object is not of kind string"])
    let bare = try await store.import(#"{"number": 1, "name": {"a": 1}}"#, as: "Author")
    #expect(bare.diagnostics.first?.reason.contains("\"dictionary\"") == true)
  }

  @Test func `a policy for a relation nobody has is refused`() async throws {
    let store = try await makeStore()
    let error = await #expect(throws: VarveError.self) {
      try await store.import("[]", as: "Book", { $0.policies["writers"] = .merge })
    }
    #expect(error?.code == .invalidMapping && error?.place == "/policy/writers")
  }

  @Test func `1 and "1" are two authors where no type is declared`() async throws {
    let store = try await makeStore()
    try await store.import(#"[{"number": 1}, {"number": "1"}]"#, as: "Author")
    #expect(try await store.allIDs() == ["Author#1", "Author/1"])
  }

  @Test func `an entity with the value is found, whatever its identifier`() async throws {
    let store = try await makeStore()
    let known = try await store.create("Author", ["number": 5, "name": "Old"])
    let report = try await store.import(#"[{"number": 5, "name": "Ann"}]"#, as: "Author")
    #expect(report.ids == [known] && report.changedCount == 1)
    #expect(try await store.count(Query("Author")) == 1)
  }

  @Test func `entities with other identifiers are found in every part of a long document`()
    async throws
  {
    let store = try await makeStore()
    try await store.write { tx in
      try await tx.create(
        "Author",
        keys: ["number"],
        rows: (0..<3_000).map { (EntityID.new(), [.int(Int64($0))]) }
      )
    }
    let text = "[" + (0..<3_000).map { "{\"number\":\($0),\"name\":\"n\"}" }.joined(separator: ",")
    let report = try await store.import(text + "]", as: "Author")
    #expect(report.changedCount == 3_000 && report.createdCount == 0)
    #expect(try await store.count(Query("Author")) == 3_000)
  }

  @Test func `where the derived identifier belongs to another, a fresh one is used and told`()
    async throws
  {
    let store = try await makeStore()
    try await store.create("Author", id: "Author#5", ["number": 6])
    let report = try await store.import(#"[{"number": 5}, {"number": 5}]"#, as: "Author")
    #expect(report.diagnostics.map(\.pointer) == ["/0"])
    #expect(Set(report.ids).count == 1 && report.ids != ["Author#5", "Author#5"])
    #expect(try await store.require("Author#5")["number"] == 6)
    let again = try await store.import(#"[{"number": 5}]"#, as: "Author")
    #expect(again.ids == Array(report.ids.prefix(1)) && again.commit == nil)
  }

  @Test func `two stores that import one record apart hold one entity when merged`() async throws {
    let (left, right) = (try await makeStore(), try await makeStore())
    for store in [left, right] { try await store.import(#"{"isbn": "1"}"#, as: "Book") }
    try await left.merge(from: right)
    #expect(try await left.count(Query("Book")) == 1)
  }

  @Test func `an id-only relation makes a stub that the object fills later`() async throws {
    let store = try await makeStore()
    try await store.import(#"{"isbn": "1", "authors": 5}"#, as: "Book")
    #expect(try await store.require("Author#5").keys == ["number"])
    let report = try await store.import(#"{"number": 5, "name": "Ann"}"#, as: "Author")
    #expect(report.changedCount == 1)
    #expect(try await store.collection(of: "Book/1", "authors") == ["Author#5"])
  }

  @Test func `a stub filled in the same document counts as created`() async throws {
    let store = try await makeStore()
    var mappings = Shop.mappings
    mappings.roots = [.init(at: "/books", as: "Book"), .init(at: "/authors", as: "Author")]
    let report = try await store.import(
      DocumentSource(
        text: #"{"books": [{"isbn": "1", "authors": [5, 6]}], "authors": [{"number": 5}]}"#
      ),
      by: mappings
    )
    #expect(report.byType["Author"]?.created == 1 && report.stubCount == 1)
  }

  @Test func `an erased target is created anew as a stub`() async throws {
    let store = try await makeStore()
    try await store.import(#"{"number": 5, "name": "Ann"}"#, as: "Author")
    try await store.erase(["Author#5"])
    try await store.import(#"{"isbn": "1", "authors": [5]}"#, as: "Book")
    let author = try await store.require("Author#5")
    #expect(author["number"] == 5 && author["name"] == nil)
    #expect(try await store.history(of: "Author#5", "name").count == 1)
  }

  @Test func `one where many are expected, many where one is, objects where ids are`() async throws
  {
    let store = try await makeStore()
    let report = try await store.import(
      """
      {"isbn": "1", "chapters": {"title": "Only"}, "publisher": [{"name": "A"}, {"name": "B"}],
        "authors": [1, {"number": 2, "name": "Ben"}, null]}
      """,
      as: "Book"
    )
    let book = try await store.require(try #require(report.ids.first))
    #expect(book["publisher"] == .reference("Publisher/A"))
    #expect(try await store.count(Query("Publisher")) == 2)
    #expect(try await store.collection(of: book.id, "authors") == ["Author#1", "Author#2"])
    #expect(try await store.require("Author#2")["name"] == "Ben")
    #expect(try await store.collection(of: book.id, "chapters")?.count == 1)
  }

  @Test func `mappings may lead back to themselves`() async throws {
    let store = try await makeStore()
    try await store.import(
      """
      {"name": "P", "books": [{"isbn": "1", "publisher": {"name": "P", "books":
        [{"isbn": "1"}, {"isbn": "2"}]}}]}
      """,
      as: "Publisher"
    )
    #expect(try await store.count(Query("Publisher")) == 1)
    #expect(try await store.count(Query("Book")) == 2)
    #expect(try await store.require("Book/1")["publisher"] == .reference("Publisher/P"))
    // The outer object is written last.
    #expect(try await store.collection(of: "Publisher/P", "books") == ["Book/1"])
  }

  @Test func `an identifying value without identification attribute changes nothing`() async throws
  {
    let store = try await makeStore()
    await #expect(throws: VarveError.self) {
      try await store.import(#"[{"isbn": "1"}, {"isbn": "2", "chapters": [7]}]"#, as: "Book")
    }
    #expect(try await store.allIDs().isEmpty)
    do {
      try await store.import("[3]", as: "Chapter")
      Issue.record("a chapter has no identity")
    } catch let error as VarveError {
      #expect(error.code == .noIdentificationAttribute && error.place == "/0")
    }
  }

  @Test func `objects without identity are new each time`() async throws {
    let store = try await makeStore()
    for _ in 0..<2 { try await store.import(#"[{"title": "One"}, null]"#, as: "Chapter") }
    #expect(try await store.count(Query("Chapter")) == 2)
  }

  @Test func `values hold from the date that is given`() async throws {
    let store = try await makeStore()
    let date = try Date.iso("2001-02-03T00:00:00Z")
    try await store.import(#"{"number": 5, "name": "Ann"}"#, as: "Author") { $0.time = date }
    #expect(try await store.require("Author#5").datestamp.date == date)
    let before = try store.asOf(date.addingTimeInterval(-1))
    #expect(try await before.entity("Author#5") == nil)
  }

  @Test func `codes are completed by what another value begins with`() async throws {
    let store = try await makeStore()
    let region = Mapping("Region", identifiedBy: "code") {
      Attribute("code")
      ToOne(id: "code", to: "country", of: "Country", .before("-")).declaring(.ownedBy)
      ToOne(
        id: "parent",
        of: "Region",
        qualifiedBy: Qualifier(by: "code", separator: "-")
      )
    }
    let country = Mapping("Country", identifiedBy: "code") { Attribute("code") }
    try await store.import(
      #"[{"code": "AZ-SAR", "parent": "NX"}, {"code": "AZ-BAB", "parent": "AZ-NX"}]"#,
      as: "Region",
      by: Mappings([region, country])
    )
    for id in ["Region/AZ-SAR", "Region/AZ-BAB"] as [EntityID] {
      #expect(try await store.require(id)["parent"] == .reference("Region/AZ-NX"))
      #expect(try await store.relatedIDs(id, .ownedBy) == ["Country/AZ"])
    }
    #expect(try await store.erase(["Country/AZ"]).count == 3)
  }

  @Test func `a declared inverse follows the relation`() async throws {
    let store = try await makeStore()
    let team = Mapping("Team", identifiedBy: "id") {
      Attribute("id")
      ToMany(ids: "players", of: "Player").inverse("team")
    }
    let player = Mapping("Player", identifiedBy: "id") { Attribute("id") }
    let mappings = Mappings([team, player])
    try await store.import(#"{"id": 1, "players": [1, 2]}"#, as: "Team", by: mappings)
    #expect(try await store.require("Player#2")["team"] == .reference("Team#1"))
    try await store.import(#"{"id": 1, "players": [1]}"#, as: "Team", by: mappings)
    #expect(try await store.require("Player#1")["team"] == .reference("Team#1"))
    #expect(try await store.require("Player#2")["team"] == nil)
  }
}
