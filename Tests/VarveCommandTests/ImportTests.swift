#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

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

  @Test
  func
    `several documents are refused if a later one would end or replace what an earlier one brought`()
    async throws
  {
    let (map, store) = (try mapping(), scratch.path("s.varve"))
    let books = try ["1", "2"].map {
      try write(#"{"books": [{"isbn": "\#($0)"}], "authors": []}"#, to: "b\($0).json")
    }
    let files = try ["1", "2"].map { try write("code\n\($0)\n", to: "c\($0).csv") }
    let refused = [
      books + ["--mapping", map], files + ["--type", "Cap"],
      files + ["--type", "Cap", "--key", "code", "--end-missing"],
    ]
    for arguments in refused {
      let run = try await Program.varve(["import", store, "--create"] + arguments)
      #expect(run.status == 64, "\(arguments): \(run.output)")
      #expect(run.errors.contains("not one set"), "\(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: store))
    let keyed = try await Program.varve(
      ["import", store, "--create"] + files + ["--type", "Cap", "--key", "code"]
    )
    #expect(keyed.status == 0, "\(keyed.errors)")
    #expect(try await Program.varve("list", store, "Cap", "--count").output == "2\n")
  }

  @Test func `a mapping may come from a pipe`() async throws {
    let folder = scratch.path("")
    let mapping = #"{"mappings":{"M":{"id":"k","attributes":{"k":"k"}}},"roots":[{"mapping":"M"}]}"#
    try Data(#"[{"k":"a"}]"#.utf8).write(to: URL(fileURLWithPath: scratch.path("m.json")))
    let run = try await Program.shell(
      """
      cd '\(folder)' && $varve import p.varve m.json --create --mapping <(echo '\(mapping)') --json
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.result[0]["created"] == 1)
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

  @Test func `a mapping file may be YAML, and errors in it have line and column`() async throws {
    let store = scratch.path("s.varve")
    let document = try write(#"[{"no": "7", "name": "Ann"}]"#, to: "d.json")
    let file = try write(
      """
      mappings:
        Author:
          id: number   # as printed
          types: {number: integer}
          attributes: {no: number, name: name}
      roots: [{mapping: Author}]
      """,
      to: "m.yml"
    )
    let run = try await Program.varve("import", store, document, "--mapping", file, "--create")
    #expect(run.lines.first?.hasPrefix("\(document): 1 created") == true, "\(run.errors)")
    let written = try await Program.varve("export", store, "--mapping", file)
    #expect(written.output == "[\n{\"no\":7,\"name\":\"Ann\"}\n]\n")
    let unknown = try write("mappings:\n  A:\n    id: x\n    colour: red\n", to: "u.yaml")
    let first = try await Program.varve("import", store, document, "--mapping", unknown)
    #expect(first.errors.contains("\(unknown), line 4, column 5, /mappings/A/colour"))
    let broken = try write("mappings: [\n", to: "b.yaml")
    let second = try await Program.varve("import", store, document, "--mapping", broken)
    #expect(second.errors.contains("invalidYAML") && second.errors.contains("\(broken), line 2"))
  }

  @Test func `an error in a later document does not hide the report of an earlier one`()
    async throws
  {
    let (store, whole) = (scratch.path("s.varve"), try mapping())
    // Several documents are no complete one.
    let text = try String(contentsOfFile: whole, encoding: .utf8)
    let mapping = try write(text.replacing(#""complete": true,"#, with: ""), to: "partial.json")
    let good = try write(#"{"books": [{"isbn": "1"}]}"#, to: "good.json")
    let bad = try write("{", to: "bad.json")
    let run = try await Program.varve(
      "import",
      store,
      good,
      bad,
      "--mapping",
      mapping,
      "--create"
    )
    #expect(run.status == 1 && run.lines.first?.hasPrefix("\(good): 1 created") == true)
    #expect(run.errors.contains(bad))
    #expect(try await Program.varve("list", store, "Book", "--count").output == "1\n")
  }

  @Test func `a dry run, and a failing import, leave no empty store behind`() async throws {
    let (store, mapping) = (scratch.path("s.varve"), try mapping())
    let good = try write(#"{"books": [{"isbn": "1"}]}"#, to: "good.json")
    let bad = try write("{", to: "bad.json")
    let dry = try await Program.varve(
      "import",
      store,
      good,
      "--mapping",
      mapping,
      "--create",
      "--dry-run"
    )
    #expect(dry.status == 0 && dry.lines.first?.contains("1 created") == true)
    let failed = try await Program.varve("import", store, bad, "--mapping", mapping, "--create")
    #expect(failed.status == 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path(""))
    #expect(!left.contains { $0.hasPrefix("s.varve") }, "\(left)")
  }

  @Test func `errors in roots name the mapping or the option as their cause`() async throws {
    let store = try await scratch.hats()
    let document = try write("{}", to: "d.json")
    let file = try write(
      #"{"mappings": {"A": {}}, "roots": [{"mapping": "A", "pointer": "/a~2"}]}"#,
      to: "m.json"
    )
    let wrong = try await Program.varve("import", store, document, "--mapping", file)
    #expect(wrong.errors.contains("\(file), /roots/0/pointer"))
    let option = try await Program.varve(
      "import",
      store,
      document,
      "--mapping",
      try mapping(),
      "--as",
      "Book",
      "--pointer",
      "books"
    )
    #expect(option.errors.contains("--pointer books") && !option.errors.contains(document))
  }

  @Test func `a whole document that could not be used is reported as such`() async throws {
    let store = try await scratch.hats()
    let file = try write(
      #"{"mappings": {"A": {"id": "x", "complete": true, "attributes": {"x": "x"}}}, "roots": [{"mapping": "A"}]}"#,
      to: "m.json"
    )
    let run = try await Program.varve(
      "import",
      store,
      try write("\"error\"", to: "d.json"),
      "--mapping",
      file
    )
    #expect(run.output.contains("  not used: the document: \"error\""))
  }

  @Test func `JSON Lines are recognized by their name, or by an option`() async throws {
    let store = try await scratch.hats()
    let lines = "{\"number\": 1}\n{\"number\": 2}\n"
    for name in ["a.jsonl", "b.NDJSON", "c.txt"] {
      let document = try write(lines, to: name)
      let option = name == "c.txt" ? ["--lines"] : []
      let run = try await Program.varve(
        ["import", store, document, "--mapping", try mapping(), "--as", "Author"] + option
      )
      #expect(
        run.status == 0 && run.output.contains(name == "a.jsonl" ? "2 created" : "2 unchanged")
      )
    }
    let table = try write("a,b\n1,2\n", to: "t.csv")
    let wrong = try await Program.varve("import", store, table, "--type", "T", "--lines")
    #expect(wrong.status == 64)
  }

  @Test func `objects keyed by names are imported by an option, and reported without it`()
    async throws
  {
    let store = try await scratch.hats()
    let document = try write(#"{"authors": {"7": {"name": "Ann"}}}"#, to: "d.json")
    let start = ["import", store, document, "--mapping", try mapping(), "--as", "Author"]
    let plain = try await Program.varve(start + ["--pointer", "/authors"])
    #expect(plain.output.contains("nothing written") && plain.output.contains("keyedBy"))
    let keyed = try await Program.varve(start + ["--pointer", "/authors", "--keyed-by", "number"])
    #expect(keyed.status == 0 && keyed.output.contains("1 created"))
    #expect(try await Program.varve("list", store, "Author", "--count").output == "1\n")
    let many = try await Program.varve(
      "import",
      store,
      document,
      "--mapping",
      try mapping(),
      "--pointer",
      "/authors"
    )
    #expect(many.status == 64 && many.errors.contains("--as"))
  }

  @Test func `lists that two stores imported are noted, listed and settled`() async throws {
    let file = try write(
      #"{"roots": [{"mapping": "T"}], "mappings": {"T": {"id": "k", "attributes": {"k": "k"}, "#
        + #""relationships": [{"fromIds": "l", "mapping": "T", "many": "list"}]}}}"#,
      to: "l.json"
    )
    let document = try write(#"[{"k": "a", "l": ["b"]}]"#, to: "d.json")
    let (one, two) = (scratch.path("1.varve"), scratch.path("2.varve"))
    for store in [one, two] {
      let run = try await Program.varve("import", store, document, "--mapping", file, "--create")
      #expect(run.output.contains("note: mapping /mappings/T/relationships/0/many"))
    }
    let again = try await Program.varve("import", one, document, "--mapping", file)
    #expect(!again.output.contains("note:"))
    #expect(try await Program.varve("sync", one, two).status == 0)
    let found = try await Program.varve("issues", one, "--mapping", file)
    #expect(found.output.contains("repetition") && found.output.contains("2 instead of 1"))
    #expect(
      try await Program.varve("issues", one, "--list", "T.l", "--json").result[0]["count"] == 2
    )
    #expect(try await Program.varve("issues", one, "--list", "T").status == 64)
    let settled = try await Program.varve("resolve", one, "T/a", "l", "--repetitions")
    #expect(settled.output.contains("removed 1 element"))
    #expect(try await Program.varve("issues", one, "--mapping", file).output == "no issues\n")
    #expect(try await Program.varve("resolve", one, "T/a", "--repetitions").status == 64)
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
#endif
