import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Import reports")
struct ImportReportTests {
  private static let names = ["a", "b", "c", "d", "e", "f"]

  // MARK: Named cases

  private func mappings(_ policy: RelationPolicy, _ kind: CollectionKind?) -> Mappings {
    let mapping = Mapping("T", identifiedBy: "k") {
      Attribute("k")
      Attribute("p")
      if let kind {
        ToMany(ids: "to", of: "T", as: kind, policy: policy).declaring(.free).inverse("back")
      } else {
        ToOne(id: "to", of: "T", policy: policy).declaring(.free).inverse("back")
      }
    }
    var mappings = Mappings([mapping])
    mappings.roots = [.init(as: "T")]
    return mappings
  }

  @Test(
    arguments: RelationPolicy.allCases,
    [nil, .list, .set, .orderedSet] as [CollectionKind?]
  )
  func `a stub under an erased or only named identifier counts as a stub and nothing else`(
    policy: RelationPolicy,
    kind: CollectionKind?
  ) async throws {
    for wasErased in [true, false] {
      let store = try await makeStore()
      if wasErased {
        try await store.create("T", id: "T/b", ["k": "b", "p": 1])
        try await store.erase("T/b")
      } else {
        try await store.create("Other", id: "other")
        try await store.setCollection("other", "list", to: ["T/b"])
      }
      let mappings = mappings(policy, kind)
      let document = #"[{"k": "a", "to": ["b"]}]"#
      let compared = try await ComparedImport(document, by: mappings, into: store)
      #expect(compared.differences == [])
      #expect(compared.report.createdCount == 1 && compared.report.stubCount == 1)
      #expect(compared.report.changedCount == 0 && compared.report.unchangedCount == 0)
      try await store.close()
    }
  }

  @Test(
    arguments: RelationPolicy.allCases
  )
  func `count an object about an erased entity as created, whatever other objects say of it`(
    policy: RelationPolicy
  ) async throws {
    let store = try await makeStore()
    try await store.create("T", id: "T/b", ["k": "b", "p": 1])
    try await store.erase("T/b")
    var mappings = mappings(policy, .list)
    mappings.roots = [.init(at: "/x", as: "T"), .init(at: "/y", as: "T")]
    let text = #"{"x": [{"k": "a", "to": ["b"]}], "y": [{"k": "b", "p": 2}, {"k": "b", "p": 3}]}"#
    let compared = try await ComparedImport(text, by: mappings, into: store)
    #expect(compared.differences == [])
    #expect(compared.report.createdCount == 2 && compared.report.stubCount == 0)
    #expect(compared.report.changedCount == 0 && compared.report.unchangedCount == 0)
    try await store.close()
  }

  @Test(arguments: RelationPolicy.allCases)
  func `list the references and relations of new entities`(policy: RelationPolicy) async throws {
    for kind in [nil, .list] as [CollectionKind?] {
      let store = try await makeStore()
      var options = ImportOptions()
      options.isDryRun = true
      let text = #"[{"k": "a", "p": 1, "to": "b"}]"#
      let report = try await store.import(
        DocumentSource(text: text),
        by: mappings(policy, kind),
        options
      )
      let new = try #require(report.changes.first { $0.id == "T/a" })
      #expect(new.keys == ["k", "p", "to"])
      #expect(new.properties["to"]?.new == (kind == nil ? .reference("T/b") : nil))
      #expect(new.collections["to"]?.new == (kind == nil ? nil : ["T/b"]))
      let stub = try #require(report.changes.first { $0.id == "T/b" })
      #expect(stub.properties["back"]?.new == .reference("T/a"))
      try await store.close()
    }
  }

  @Test func `list the elements of to-many properties, at present and for a past time`()
    async throws
  {
    let store = try await makeStore()
    try await store.import(
      DocumentSource(text: #"[{"k": "a", "to": ["b", "c"]}, {"k": "d", "to": ["b"]}]"#),
      by: mappings(.assign, .list)
    )
    for time in [nil, Date(timeIntervalSince1970: 3_000_000_000)] as [Date?] {
      var options = ImportOptions()
      options.isDryRun = true
      options.time = time
      let report = try await store.import(
        DocumentSource(text: #"[{"k": "a", "to": ["c", "d"]}, {"k": "d", "to": ["b"]}]"#),
        by: mappings(.assign, .list),
        options
      )
      let change = try #require(report.changes.first { $0.id == "T/a" })
      #expect(change.collections["to"]?.old == ["T/b", "T/c"])
      #expect(change.collections["to"]?.new == ["T/c", "T/d"])
      #expect(change.properties.isEmpty)
      #expect(report.changes.first { $0.id == "T/d" }?.collections["to"] == nil)
    }
    try await store.close()
  }

  @Test(
    arguments: [.list, .set, .orderedSet] as [CollectionKind]
  )
  func `count an entity whose to-many relation or inverse only gets new entities as changed`(
    kind: CollectionKind
  ) async throws {
    let author = Mapping("Author", identifiedBy: "k") {
      Attribute("k")
      ToMany(ids: "books", of: "Book", as: kind, policy: .merge)
    }
    let book = Mapping("Book", identifiedBy: "k") {
      Attribute("k")
      ToOne(id: "by", of: "Author").inverse("books")
    }
    var mappings = Mappings([author, book])
    mappings.roots = [.init(at: "/authors", as: "Author"), .init(at: "/books", as: "Book")]
    for document in [
      #"{"authors": [{"k": "a", "books": ["y"]}]}"#, #"{"books": [{"k": "y", "by": "a"}]}"#,
    ] {
      let store = try await makeStore()
      try await store.import(
        DocumentSource(text: #"{"books": [{"k": "x", "by": "a"}]}"#),
        by: mappings
      )
      let compared = try await ComparedImport(document, by: mappings, into: store)
      #expect(compared.differences == [])
      #expect(compared.report.changedCount == 1)
      #expect(compared.report.createdCount + compared.report.stubCount == 1)
      let books = try await store.collection(of: "Author/a", "books")
      #expect(books?.sorted() == ["Book/x", "Book/y"])
      try await store.close()
    }
  }

  // MARK: Random imports

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `import reports agree with the difference between the states`(seed: UInt64) async throws {
    try await Self.play(seed: seed)
  }

  fileprivate static func play(seed: UInt64) async throws {
    var random = RandomMappings(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(clock)
    let file = random.file(isPlain: true)
    let mappings = try Mappings(json: file)
    for round in 0..<4 {
      clock.advance(by: 10)
      let document = random.document()
      let compared = try await ComparedImport(document.text, by: mappings, into: store)
      guard compared.differences.isEmpty else {
        Issue.record(
          "seed \(seed), round \(round): \(compared.differences)\n\(file.text)\n\(document.text)"
        )
        return
      }
      try await random.disturb(store)
      for id in try await store.allIDs() where random.random.chance(20) {
        try await store.erase(id)
      }
    }
    try await store.close()
  }
}

@Suite(
  "Soak: import reports",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct ImportReportSoakTests {
  @Test(arguments: 10..<40 as Range<UInt64>)
  func `soak: import reports agree with the difference between the states`(part: UInt64)
    async throws
  {
    for seed in part * 100..<part * 100 + 100 { try await ImportReportTests.play(seed: seed) }
  }
}
