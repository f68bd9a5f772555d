import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveSQLite
import VarveStore
import VarveTestSupport

/// A visit to a place, with rules.
private struct Visit: Persistable {
  static let schema = Schema<Visit>("Visit") {
    SchemaField("code", \.code, .unique)
    SchemaField("name", \.name, .required)
    SchemaField("lat", \.lat, .check("tooFar") { abs($0?.doubleValue ?? 0) <= 90 })
    SchemaField("rating", \.rating)
    SchemaField("token", \.token)
    SchemaField("created_at", \.createdAt, .createdAt)
    SchemaField("updated_at", \.updatedAt, .updatedAt)
  }

  var id = Identifier<Visit>()
  var code: String?
  var name: String
  var lat: Double?
  var rating: Int
  var token: String
  var createdAt: Date?
  var updatedAt: Date?

  init(row: EntityRow) throws {
    id = try row.id()
    code = try row.read("code")
    name = try row.read("name")
    lat = try row.read("lat")
    rating = try row.read("rating", default: 3)
    token = try row.read("token", default: EntityID.new().text)
    createdAt = try row.read("created_at")
    updatedAt = try row.read("updated_at")
  }

  func write(to values: inout PropertyValues) throws {
    try values.set("code", code)
    try values.set("name", name)
    try values.set("lat", lat)
    try values.set("rating", rating)
    try values.set("token", token)
    try values.set("created_at", createdAt)
    try values.set("updated_at", updatedAt)
  }
}

@Suite("Rules of models in imports")
struct ImportRulesTests {
  private static let mappings: Mappings = {
    let visit = Mapping("Visit", identifiedBy: "number") {
      Attribute("number")
      Attribute("code")
      Attribute("name")
      Attribute("where.lat", to: "lat")
      Attribute("rating")
      Attribute("token")
      ToOne(id: "next", of: "Visit")
    }
    var mappings = Mappings([visit])
    mappings.roots = [.init(at: "/visits", as: "Visit")]
    return mappings
  }()

  private let clock = TestClock()

  private func makeStore() async throws -> Store {
    var configuration = Store.Configuration()
    configuration.models = [Visit.self]
    return Store(backend: try await makeBackend(clock), configuration: configuration)
  }

  private func take(
    _ visits: String,
    into store: Store,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) async throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    let source = DocumentSource(text: #"{"visits": [\#(visits)]}"#)
    return try await store.import(source, by: Self.mappings, options)
  }

  @Test func `fill in defaults and dates, so that importing again writes nothing`() async throws {
    let store = try await makeStore()
    let text = #"{"number": 1, "name": "A", "rating": null, "token": null}"#
    #expect(try await take(text, into: store).diagnosticCount == 0)
    let visit = try await store.require(Identifier<Visit>("Visit#1"))
    #expect(visit.rating == 3 && visit.createdAt == visit.updatedAt && visit.createdAt != nil)
    #expect(try await store.require("Visit#1")["rating"] == 3)
    #expect(try await store.require("Visit#1")["token"] == .string(visit.token))
    clock.advance(by: 5_000)
    #expect(try await take(text, into: store).commit == nil)
    let change = #"{"number": 1, "name": "B", "rating": null, "token": null}"#
    #expect(try await take(change, into: store).commit != nil)
    let changed = try await store.require(Identifier<Visit>("Visit#1"))
    #expect(changed.createdAt == visit.createdAt && changed.token == visit.token)
    #expect(changed.updatedAt?.timeIntervalSince(visit.updatedAt ?? .now) == 5)
    #expect(try await take(change, into: store).commit == nil)
  }

  @Test func `that are broken are told with their places`() async throws {
    let store = try await makeStore()
    let report = try await take(
      #"{"number": 1, "name": "A", "where": {"lat": 470}}, {"number": 2, "name": ""}"#
        + #", {"number": 3}, {"number": 4, "name": "D"}"#,
      into: store
    )
    let told = report.diagnostics.map { "\($0.pointer): \($0.reason)" }
    #expect(
      told == [
        "/visits/0/where/lat: visit.lat is \"tooFar\"",
        "/visits/1/name: visit.name must not be blank",
        "/visits/2/name: visit.name must not be blank; fetches of the model omit it",
      ],
      "\(told)"
    )
    let null = try await take(#"{"number": 4, "name": null}"#, into: store)
    #expect(null.diagnostics.map(\.pointer) == ["/visits/0/name"])
    #expect(try await store.require("Visit#3")["created_at"] != nil)
  }

  @Test func `that a later object of the document mends are not broken`() async throws {
    let store = try await makeStore()
    let many = (10..<3_000).map { #"{"number": \#($0), "name": "N"}"# }.joined(separator: ",")
    let report = try await take(
      #"{"number": 1, "name": "A", "next": 2}, \#(many), {"number": 2, "name": "B"}"#,
      into: store
    )
    #expect(report.diagnosticCount == 0, "\(report.diagnostics)")
    let stub = try await take(#"{"number": 1, "next": 9000}"#, into: store)
    #expect(stub.diagnostics.map(\.pointer) == ["/visits/0/next/name"], "\(stub.diagnostics)")
  }

  @Test func `refuse an import where that is wanted, which leaves nothing`() async throws {
    let store = try await makeStore()
    let text = #"{"number": 1, "name": "A"}, {"number": 2, "name": "B", "where": {"lat": -91}}"#
    let error = await failure { _ = try await take(text, into: store) { $0.rules = .refuse } }
    #expect(error?.code == .validationFailed && error?.place == "/visits/1/where/lat")
    #expect(error?.violations.map(\.key) == ["lat"])
    #expect(try await store.commitCount == 0)
  }

  @Test func `find doubles of what shall be unique`() async throws {
    let store = try await makeStore()
    _ = try await take(#"{"number": 1, "name": "A", "code": "x"}"#, into: store)
    let report = try await take(#"{"number": 2, "name": "B", "code": "x"}"#, into: store)
    #expect(report.diagnostics.map(\.pointer) == ["/visits/0/code"], "\(report.diagnostics)")
  }

  @Test func `hold for the models an import names, and for no others`() async throws {
    let store = Store(backend: try await makeBackend(clock))
    #expect(try await take(#"{"number": 1}"#, into: store).diagnosticCount == 0)
    let report = try await take(#"{"number": 2}"#, into: store) { $0.models = [Visit.self] }
    #expect(report.diagnosticCount == 1)
  }

  @Test func `hold for the operation import`() async throws {
    let store = try await makeStore()
    let runner = OperationRunner(store, mappings: Self.mappings)
    let answer = await runner.run([
      "op": "import", "json": ["visits": [["number": 1]]], "rules": "refuse",
    ])
    #expect(answer["error"]?["code"] == "validationFailed", "\(answer.text)")
  }

  @Test func `that a loaded document breaks are told`() async throws {
    let store = try await makeStore()
    let report = try await store.load(
      #"{"entities":[{"identifier":"v","type":"Visit","name":"A","lat":99.5},"#
        + #"{"identifier":"w","type":"Visit"}]}"#
    )
    #expect(report.broken.map(\.pointer) == ["/entities/0/lat", "/entities/1/name"])
    #expect(report.brokenCount == 2 && report.importedCount == 2)
  }
}
