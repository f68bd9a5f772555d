import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Corrupted foreign documents, mappings and operations.
enum MutatedImports {
  private static let books = """
    [{"isbn":"1","details":{"title":"Hats","pages":12},"published":"1999-04-01",\
    "publisher":{"name":"C","books":[]},"authors":[5,7],"chapters":[{"title":"One"}]},
    {"isbn":"2","details":null,"publisher":null,"authors":[{"number":5,"name":"é"}]}, {}]
    """

  private static let file = """
    {"mappings": {
    "Book": {"id": "isbn", "types": {"pages": "integer", "tags": "array"}, "missing": "clears",
    "complete": {"pages": {">": 3}}, "attributes": {"isbn": "isbn", "details.title": "title",
    "details.pages": "pages", "tags": "tags", "published": {"to": "published",
    "transform": "date:yyyy-MM-dd", "reverse": "date"}, "status": {"to": "status",
    "transform": "status"}}, "relationships": [{"from": "publisher", "to": "publisher",
    "mapping": "Publisher", "policy": "replace", "declares": "ownedBy", "inverse": "books"},
    {"fromIds": "authors", "many": "set", "mapping": "Author", "transform": "integer",
    "qualifiedBy": {"path": "isbn", "separator": "-"}, "policy": "merge"}]},
    "Author": {"id": "number", "attributes": {"number": "number", "name": "name"}},
    "Publisher": {"entity": "P", "id": "name", "attributes": {"name": "name"}, "relationships":
    [{"from": "books", "to": "books", "many": "list", "mapping": "Book"}]}},
    "transforms": {"status": {"enumeration": {"A": "available", "S": 3}}},
    "defaults": {"date": "date"}, "reverseDefaults": {"date": "date:dd.MM.yyyy"},
    "roots": [{"pointer": "", "mapping": "Book"}]}
    """

  private static let operations = [
    #"{"op":"create","type":"Hat","id":"h","set":{"size":12,"made":{"date":"1999-01-01"}}}"#,
    #"{"op":"set","id":"h","set":{"size":7},"at":"2024-01-01T10:00:00.250Z"}"#,
    #"{"op":"query","type":"Hat","where":{"size":{">":3}},"order":["-size"],"limit":5,"offset":1}"#,
    #"{"op":"related","id":"h","kind":"owns","ofType":"Hat","where":{"size":{"in":[1,2]}}}"#,
    #"{"op":"history","id":"h","key":"size","limit":3}"#,
    #"{"op":"batch","operations":[{"op":"create","type":"Hat","id":"i"},{"op":"erase","ids":["i"]}]}"#,
    #"{"op":"log","limit":2,"offset":1}"#,
    #"{"op":"import","mapping":"Book","json":{"isbn":"2","authors":[5]},"dryRun":true}"#,
    #"{"op":"get","id":{"type":"Hat","where":{"size":12}},"asOf":"2024-01-01"}"#,
    #"{"op":"link","id":"h","property":"p","many":"list","to":["h","h"]}"#,
  ]

  static func documents(_ count: Int, seed: UInt64) async throws {
    var mutator = Mutator(seed: seed)
    let store = try await makeStore()
    var refused = 0
    for _ in 0..<count {
      let bytes = mutator.mutated(Array(books.utf8))
      do {
        let before = try await store.commitCount
        let error = await failure {
          try await store.import(String(decoding: bytes, as: UTF8.self), as: "Book")
        }
        if error != nil {
          refused += 1
          #expect(try await store.commitCount == before)
        }
      }
    }
    #expect(refused > 0)
  }

  static func mappings(_ count: Int, seed: UInt64) async throws {
    var mutator = Mutator(seed: seed)
    var (refused, taken) = (0, 0)
    for _ in 0..<count {
      let bytes = mutator.mutated(Array(file.utf8))
      guard let json = try? JSONReader.read(bytes: bytes) else { continue }
      do {
        let mappings = try Mappings(json: json)
        taken += 1
        let store = try await makeStore()
        try await store.import(DocumentSource(text: books), by: mappings)
        var exported: [UInt8] = []
        try await store.asOf(Moment.now).read { state in
          _ = try await state.export(by: mappings) { exported += $0 }
        }
        try await store.import(DocumentSource(bytes: exported), by: mappings)
      } catch is VarveError {
        refused += 1
      }
    }
    #expect(refused > 0 && taken > 0)
  }

  static func operations(_ count: Int, seed: UInt64) async throws {
    var mutator = Mutator(seed: seed)
    let store = try await makeStore()
    let runner = OperationRunner(store, mappings: Shop.mappings)
    var refused = 0
    for _ in 0..<count {
      let line = mutator.mutated(Array(mutator.random.pick(operations).utf8))
      let answer = await runner.run(line: line, number: 1)
      if answer["error"] != nil { refused += 1 }
    }
    #expect(refused > 0)
  }
}

@Suite("Corrupted imports, mappings and operations")
struct MutatedImportTests {
  @Test func `foreign documents are imported or refused`() async throws {
    try await MutatedImports.documents(500, seed: 1)
  }

  @Test func `mappings are accepted or refused`() async throws {
    try await MutatedImports.mappings(200, seed: 1)
  }

  @Test func `operations are done or refused`() async throws {
    try await MutatedImports.operations(1_000, seed: 1)
  }
}
