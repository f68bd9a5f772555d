import Foundation
import Testing

@Suite struct ImportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ text: String, to name: String) throws -> String {
    let path = scratch.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func mapping() throws -> String {
    try write(
      """
      {"roots": [{"pointer": "/books", "mapping": "Book"}, {"pointer": "/authors", "mapping": "Author"}],
       "mappings": {
        "Book": {"id": "isbn", "complete": true,
          "attributes": {"isbn": "isbn", "details.title": "title",
            "published": {"to": "published", "transform": "date:yyyy-MM-dd"}},
          "relationships": [{"fromIds": "authors", "to": "authors", "many": "set",
            "mapping": "Author"}]},
        "Author": {"id": "number", "attributes": {"number": "number", "name": "name"}}}}
      """,
      to: "mapping.json"
    )
  }

  @Test func `import, change, dry run and import again`() async throws {
    let (store, mapping) = (scratch.path("s.varve"), try mapping())
    let first = try write(
      #"""
      {"books": [{"isbn": "1", "details": {"title": "Hats"}, "authors": [5, 6]}, {"isbn": "2"}],
       "authors": [{"number": 5, "name": "Ann"}]}
      """#,
      to: "1.json"
    )
    let run = try await Program.varve(
      "import",
      store,
      first,
      "--mapping",
      mapping,
      "--create",
      "--at",
      "2020-01-01",
      "--author",
      "sam"
    )
    #expect(
      run.lines.first?.hasPrefix("\(first): 3 created, 0 changed, 0 unchanged, 0 ended, 1 stub")
        == true,
      "\(run.output)\(run.errors)"
    )
    let again = try await Program.varve("import", store, first, "--mapping", mapping)
    #expect(
      again.lines == ["\(first): 0 created, 0 changed, 3 unchanged, 0 ended; nothing written"]
    )
    let second = try write(
      #"{"books": [{"isbn": "1", "details": {"title": "Caps"}, "published": "soon"}], "authors": []}"#,
      to: "2.json"
    )
    let dry = try await Program.varve("import", store, second, "--mapping", mapping, "--dry-run")
    #expect(
      dry.lines == [
        "\(second): 0 created, 1 changed, 0 unchanged, 1 ended; nothing written: a dry run",
        "  ~ Book Book/1: title", "  - Book Book/2",
        "  not used: /books/0/published: \"soon\" has no value by the transform date:yyyy-MM-dd",
      ]
    )
    let piped = try await Program.shell(
      "$varve import \(store) - --mapping \(mapping) --at 2021-01-01 --json < \(second)"
    )
    #expect(try piped.result[0]["ended"] == 1)
    #expect(try piped.result[0]["diagnostics"][0]["pointer"] == "/books/0/published")
    let then = try await Program.varve("get", store, "Book/1", "title", "--as-of", "2020-06-01")
    #expect(then.output == "Hats\n")
    let exported = try await Program.varve("export", store, "--mapping", mapping)
    #expect(
      exported.output == """
        {"books":[
        {"isbn":"1","details":{"title":"Caps"},"published":null,"authors":[5,6]}
        ],"authors":[
        {"number":5,"name":"Ann"},
        {"number":6,"name":null}
        ]}

        """
    )
    let past = try await Program.varve(
      "export",
      store,
      "--mapping",
      mapping,
      "--as",
      "Book",
      "--exclude",
      "authors",
      "--as-of",
      "2020-06-01"
    )
    #expect(past.lines.count == 4 && past.lines[1].hasSuffix("\"published\":null},"))
  }

  @Test func `errors name the file and the place in it`() async throws {
    let store = try await scratch.hats()
    let document = try write(#"{"books": [{"isbn": "1"}, {"isbn": ]}"#, to: "bad.json")
    let bad = try await Program.varve("import", store, document, "--mapping", try mapping())
    #expect(bad.status == 1)
    #expect(bad.errors.contains("invalidJSON") && bad.errors.contains("\(document), line 1"))
    let file = try write(
      #"{"mappings": {"A": {"relationships": [{"from": "x", "mapping": "B"}]}}}"#,
      to: "m.json"
    )
    let unknown = try await Program.varve("import", store, document, "--mapping", file)
    #expect(unknown.errors.contains("\(file), /mappings/A/relationships/0/mapping"))
    let missing = try await Program.varve("import", store, document, "--mapping", "no.json")
    #expect(missing.errors.contains("notFound"))
    #expect(try await Program.varve("list", store, "Book", "--count").output == "0\n")
  }
}
