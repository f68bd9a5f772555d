import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("What a mapping exports")
struct ExportRoundTripTests {
  /// Exports random stores, and imports the resulting documents.
  static func rounds(_ seeds: Range<UInt64>) async throws {
    var silentCount = 0
    for seed in seeds {
      do {
        if try await isSilent(seed) { silentCount += 1 }
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    #expect(silentCount > seeds.count / 10, "hardly anything was exported without a diagnostic")
  }

  /// Exports one store and imports the document. Returns whether there were no diagnostics.
  private static func isSilent(_ seed: UInt64) async throws -> Bool {
    var random = RandomMappings(seed: seed)
    let file = random.file(isPlain: seed % 3 == 0)
    let mappings = try Mappings(json: file)
    let store = try await makeStore()
    for _ in 0..<2 { try await store.import(random.document(), by: mappings) }
    if seed % 2 == 0 { try await random.disturb(store) }
    let (text, export) = try await store.exported(by: mappings)
    var options = ImportOptions()
    options.isDryRun = true
    let change = try await store.import(DocumentSource(text: text), by: mappings, options)
    let report = try await store.import(DocumentSource(text: text), by: mappings)
    guard export.diagnosticCount == 0 else { return false }
    guard report.commit != nil else { return true }
    throw VarveError(.invalidArgument, "\(text)\n\(file.text)\n\(change.changes)")
  }

  @Test func `is imported unchanged by the same mapping, or the report lists the differences`()
    async throws
  {
    try await Self.rounds(0..<120)
  }

  private static var countries: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Examples/Countries")
  }

  @Test func `of the countries and their subdivisions comes back without a change`() async throws {
    let folder = Self.countries
    let file = try String(
      contentsOf: folder.appendingPathComponent("mapping.json"),
      encoding: .utf8
    )
    let mappings = try Mappings(json: JSONReader.read(file))
    let store = try await makeStore()
    let source = try DocumentSource(file: folder.appendingPathComponent("2016-11-27.json").path)
    try await store.import(source, by: mappings)
    let (text, export) = try await store.exported(by: mappings)
    #expect(export.recordCount == 5_103 && export.diagnosticCount == 0)
    #expect(text.contains(#""code":"AD-02""#))
    #expect(try await store.import(DocumentSource(text: text), by: mappings).commit == nil)
  }

  @Test func `at a path that several lines read is the value all of them read correctly`()
    async throws
  {
    let land = Mapping("Land", identifiedBy: "code") { Attribute("code") }
    let part = Mapping("Part", identifiedBy: "code") {
      Attribute("code")
      ToOne(id: "code", to: "land", of: "Land", .before("-"))
    }
    let mappings = Mappings([land, part])
    let store = try await makeStore()
    try await store.import(#"[{"code": "AD-02"}]"#, as: "Part", by: mappings)
    let objects = try await store.objects(of: ["Part/AD-02"], as: "Part", by: mappings)
    #expect(objects == [["code": "AD-02"]])
  }

  @Test func `at its root is whole, also where it stood in a relation before`() async throws {
    var mappings = Shop.mappings
    for name in mappings.names { mappings[name]?.clearsMissing = true }
    mappings["Chapter"]?.identification = "title"
    mappings.roots = [.init(at: "/books", as: "Book"), .init(at: "/publishers", as: "Publisher")]
    let store = try await makeStore()
    try await store.import(
      DocumentSource(
        text: """
          {"books": [{"isbn": "1", "details": {"title": "T"}, "publisher": {"name": "P"}}],
          "publishers": [{"name": "P", "books": ["1"]}]}
          """
      ),
      by: mappings
    )
    let (text, export) = try await store.exported(by: mappings)
    #expect(export.diagnosticCount == 0)
    let document = try JSONReader.read(text)
    guard case .array(let books)? = document["books"] else { throw VarveError(.invalidJSON, text) }
    #expect(books.map { $0["details"]?["title"] } == ["T"], "\(text)")
    #expect(try await store.import(DocumentSource(text: text), by: mappings).commit == nil)
    #expect(try await store.require("Book/1")["title"] == "T")
  }

  @Test func `of a moment in seconds or milliseconds since 1970 is the same moment`() async throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2_000 {
      let milliseconds = Int64.random(in: -4_000_000_000_000...4_000_000_000_000, using: &random)
      let text = DateWriter.exact(HybridTime(millisecondsSince1970: milliseconds))
      let date = try #require(ValueTransform.isoDate(.string(text)))
      for transform in [ValueTransform.epochSeconds, .epochMilliseconds] {
        let number = try #require(transform.reversed(date))
        #expect(transform(number) == date, "\(text) by \(transform.name): \(number)")
      }
      #expect(ValueTransform.epochMilliseconds(.int(milliseconds)) == date)
    }
  }

  @Test func `that cannot be reversed is listed with its place`() async throws {
    var mapping = Mapping("M", identifiedBy: "k") {
      Attribute("k")
      Attribute("day", .date("yyyy-MM-dd"))
      Attribute("loud", .uppercase)
      Attribute("number")
      ToOne(id: "one", of: "M")
    }
    mapping.clearsMissing = true
    var mappings = Mappings([mapping])
    mappings.roots = [.init(at: "/all", as: "M")]
    let store = try await makeStore()
    let noon = Date(timeIntervalSinceReferenceDate: 43_200)
    try await store.create("M", id: "M/a", ["k": "a", "day": .date(noon)])
    try await store.create("M", id: "M/b", ["k": "b", "loud": "Quiet", "number": .double(.nan)])
    try await store.create("M", id: "c", ["k": "a"])
    try await store.create("M", id: "d", ["one": .reference("none")])
    let (text, report) = try await store.exported(by: mappings)
    let places = Set(report.diagnostics.map(\.pointer))
    #expect(
      places == ["/all/0/day", "/all/1/loud", "/all/1/number", "/all/2", "/all/3", "/all/3/one"],
      "\(text) \(report.diagnostics)"
    )
  }
}

extension Store {
  /// Returns the document that mappings export from the store, and the report.
  func exported(by mappings: Mappings) async throws -> (String, ExportReport) {
    var bytes: [UInt8] = []
    let report = try await asOf(Moment.now).read { state in
      try await state.export(by: mappings) { bytes += $0 }
    }
    return (String(decoding: bytes, as: UTF8.self), report)
  }
}
