#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Names of types and keys, with every command that reads one.
@Suite struct NameTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Names that SQL, exports or arguments could take for something else.
  static let names = [
    "t1", "t2", "c1", "c2", "my type", "Über", "Row", "Id", "true", "order", "a\"b", "it's", "Hat",
    "hat", "@x", "id", "id_2", "🎩", " ", "row", "sqlite_x", "varve_commit", "@datestamp", "x.y",
    "null", "5", "a=b", "e\u{301}", "type", "modified",
  ]

  /// A store with an entity of a type and a key, and one of another type for SQL to confuse with.
  private func store(_ type: String, _ key: String) async throws -> String {
    let store = scratch.path("\(UUID().uuidString).varve")
    let lines = try [("other", "other key", "o"), (type, key, "e")].map { type, key, id in
      let line: [String: Any] = ["op": "create", "type": type, "id": id, "set": [key: "v\(id)"]]
      return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
    }
    let file = store + ".jsonl"
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    let run = try await Program.varve("batch", store, file, "--create", "--strict")
    guard run.status == 0 else { throw Scratch.Unexpected(run: run) }
    return store
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func inSQL(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  @Test(arguments: names)
  func `every command reads a type and a key of any name`(name: String) async throws {
    try await expectAllCommands(name, name)
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1"),
    arguments: names
  )
  func `every command reads a key of any name of a type of any other`(type: String) async throws {
    for key in Self.names where key != type { try await expectAllCommands(type, key) }
  }

  private func expectAllCommands(_ type: String, _ key: String) async throws {
    let store = try await store(type, key)
    let field = Self.quoted(key)
    func run(_ arguments: String...) async throws -> Program.Run {
      let run = try await Program.varve(arguments)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      #expect(!run.errors.contains("note:"), "\(arguments): \(run.errors)")
      return run
    }
    let schema = try await run("schema", store, type, "--json").result
    guard case .string(let table) = try schema["name"],
      case .string(let column) = try schema["keys"][0]["name"]
    else {
      Issue.record("the schema has no names")
      return
    }
    let listed = try await run("list", store, type, "--json").result
    #expect(try listed[0]["properties"][key] == "ve")
    for arguments in [
      ["--where", "\(field)=ve"], ["--where", "\(field) = 've'", "--order", field],
      ["--order", "-\(field)", "--where", "\(field) ^= v"],
    ] {
      let count = try await Program.varve(["list", store, type, "--count"] + arguments)
      #expect(count.output == "1\n", "\(arguments): \(count.errors)")
    }
    let heading = try await run("list", store, type, "--csv").csv[0]
    let exported = try await run("export", store, "--csv", "--type", type).csv
    #expect(exported[0] == heading && heading == ["id", column])
    let chosen = try await run("list", store, type, "--columns", field, "--csv").csv
    #expect(chosen == [["id", column], ["e", "ve"]])
    let (sqlTable, sqlColumn) = (Self.inSQL(table), Self.inSQL(column))
    for sql in [
      "SELECT \(sqlColumn) AS v FROM \(sqlTable)", "SELECT x.\(sqlColumn) AS v FROM \(sqlTable) x",
      "SELECT \(sqlTable).\(sqlColumn) AS v FROM \(sqlTable) WHERE \(sqlColumn) = 've'",
    ] {
      let rows = try await run("query", store, sql, "--json").result
      #expect(rows == [["v": "ve"]], "\(sql)")
    }
    #expect(try await run("get", store, "e", key).output == "ve\n")
    #expect(try await run("history", store, "e", key, "--json").result.elements.count == 1)
    #expect(try await run("timeline", store, "--type", type, "--json").status == 0)
    _ = try await run("index", store, type, key)
    let erased = try await run(
      "erase",
      store,
      "--type",
      type,
      "--where",
      "\(field)=ve",
      "--dry-run",
      "--json"
    ).result
    #expect(try erased["wouldErase"].elements.count == 1)
    _ = try await run("update", store, type, "--where", "\(field)=ve", "\(field)=new")
    #expect(try await run("get", store, "e", key).output == "new\n")
    if !type.contains("."), !key.contains(",") {
      #expect(try await run("issues", store, "--unique", "\(type).\(key)", "--json").status == 0)
    }
    let target = store + ".sqlite"
    _ = try await run("export", store, "--sqlite", target)
    let plan = try await run("import", store, target, "--plan", "--json")
    #expect(plan.output.contains(Self.json(table)), "\(plan.output)")
  }

  private static func json(_ name: String) -> String {
    let text = try? JSONSerialization.data(withJSONObject: [name], options: .withoutEscapingSlashes)
    return text.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) } ?? name
  }

  // MARK: Names that never existed

  /// Commands with a misspelled type or key, and the name that each note must suggest.
  static let misspelled: [(arguments: [String], nearest: String?)] = [
    (["list", "STORE", "Hut"], "Hat"), (["list", "STORE", "Hat", "--where", "colr=red"], "color"),
    (["list", "STORE", "Hat", "--where", "colr = red", "--count"], "color"),
    (["list", "STORE", "Hat", "--order", "-siez"], "size"),
    (["list", "STORE", "Hat", "--columns", "sise"], "size"),
    (["list", "STORE", "Hat", "--where", "colr[0]=red"], "color"),
    (["list", "STORE", "Hat", "--where", "size=ten"], nil),
    (["list", "STORE", "Hat", "--where", "size=null", "--where", "colr=null"], "color"),
    (["list", "STORE", "Hat", "--matching", "red", "--in", "colr"], "color"),
    (["list", "STORE", "hat"], "Hat"), (["list", "STORE", "Zebra"], nil),
    (["schema", "STORE", "Hut"], "Hat"),
    (["update", "STORE", "Hut", "size:=1"], "Hat"),
    (["update", "STORE", "Hat", "--where", "colr=red", "size:=1"], "color"),
    (["erase", "STORE", "--type", "Hut"], "Hat"),
    (["erase", "STORE", "--type", "Hat", "--where", "colr=red"], "color"),
    (["erase", "STORE", "--type", "Hat", "--where", "colr=red", "--dry-run"], "color"),
    (["timeline", "STORE", "--type", "Hut"], "Hat"),
    (["history", "STORE", "hat-1", "colr"], "color"),
    (["issues", "STORE", "--unique", "Hut.color"], "Hat"),
    (["issues", "STORE", "--unique", "Hat.colr"], "color"),
    (["export", "STORE", "--csv", "--type", "Hut"], "Hat"),
  ]

  @Test(arguments: misspelled)
  func `a name that no entity ever had is a note, and strictly an error`(
    one: (arguments: [String], nearest: String?)
  ) async throws {
    let store = try await scratch.hats()
    let before = try await Program.varve("stats", store, "--json").output
    let arguments = one.arguments.map { $0 == "STORE" ? store : $0 }
    let hint = one.nearest.map { "perhaps \"\($0)\" is meant" } ?? "varve: note: "
    let plain = try await Program.varve(arguments)
    #expect(plain.status == 0)
    #expect(
      plain.errors.contains("varve: note: ") && plain.errors.contains(hint),
      "\(plain.errors)"
    )
    let strict = try await Program.varve(arguments + ["--strict"])
    #expect(strict.status == 1 && strict.errors.contains("error: notFound: "), "\(strict.errors)")
    if let nearest = one.nearest { #expect(strict.errors.contains("\"\(nearest)\"")) }
    guard !arguments.contains("--csv") else { return }
    let json = try await Program.varve(arguments + ["--json"])
    #expect(try json.document["notes"].elements.count == 1)
    let after = try await Program.varve("stats", store, "--json").output
    #expect(before == after)
  }

  @Test func `integers and doubles of one key are numbers, which a text is not`() async throws {
    let store = try await scratch.hats()
    func notes(_ condition: String) async throws -> String {
      try await Program.varve("list", store, "Hat", "--where", condition).errors
    }
    _ = try await Program.varve("set", store, "hat-2", "size:=7.5")
    #expect(try await notes("size='blue'").contains(#""size" has only numbers"#))
    #expect(try await notes("size=7") == "")
    let strict = ["list", store, "Hat", "--where", "size='blue'", "--strict"]
    #expect(try await Program.varve(strict).status == 1)
    #expect(try await Program.varve("check", store).status == 0)
    _ = try await Program.varve("set", store, "hat-2", "size=blue")
    #expect(try await notes("size='blue'") == "")
    _ = try await Program.varve("rebuild", store)
    #expect(try await notes("size='blue'") == "")
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test func `names that exist, or once existed, are no notes`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve("erase", store, "--type", "Shop")
    for arguments in [
      ["list", store, "Shop"], ["list", store, "Hat", "--where", "sold=false"],
      ["list", store, "Hat", "--as-of", "2001-01-01", "--where", "color=red"],
      ["list", store, "Hat", "--where", "size=7.5"], ["history", store, "hat-2", "sold"],
    ] {
      let run = try await Program.varve(arguments + ["--strict"])
      #expect(run.status == 0 && run.errors.isEmpty, "\(arguments): \(run.errors)")
    }
  }

  @Test(arguments: [
    (["lst", "x.varve"], "list"), (["token", "lst"], "list"), (["home", "chek"], "check"),
    (["qurey"], "query"),
  ])
  func `an unknown command names the nearest`(one: (arguments: [String], nearest: String))
    async throws
  {
    let run = try await Program.varve(one.arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains("Perhaps it is \"\(one.nearest)\""), "\(run.errors)")
  }

  @Test func `operations name a key that begins with @ with one more`() async throws {
    let store = try await store("Hat", "@x")
    let file = scratch.path("query.jsonl")
    let lines = #"""
      {"op":"query","type":"Hat","where":{"@@x":"ve"},"order":["@@x"],"run":"ids"}
      {"op":"query","type":"Hat","where":{"@x":"ve"},"run":"ids"}
      {"op":"aggregate","type":"Hat","by":["@@x"],"values":["count",{"maximum":"@@x"}]}
      """#
    try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
    let run = try await Program.varve("batch", store, file)
    let answers = run.lines
    #expect(answers.count == 3)
    #expect(answers[0] == #"{"ok":true,"result":["e"]}"#)
    #expect(answers[1].contains(#"Write a key that begins with @ as \"@@x\"."#), "\(answers[1])")
    #expect(answers[2] == #"{"ok":true,"result":[{"keys":["ve"],"values":[1,"ve"]}]}"#)
  }

  // MARK: Conditions

  private static let conditions: [(condition: String, found: [Document])] = [
    ("size > 10", ["hat-1"]), (" size >= 7 ", ["hat-1", "hat-2"]), ("color==red", ["hat-1"]),
    ("color = 'red'", ["hat-1"]), ("color='re''d'", []), ("color<>'red'", ["hat-2"]),
    (#"color = "red""#, ["hat-1"]), (#""color" = red"#, ["hat-1"]), ("size == 7", ["hat-2"]),
    ("size='7'", []), ("color ^= 'gr'", ["hat-2"]), ("color *= e", ["hat-1", "hat-2"]),
    ("sold = null", ["hat-1"]), ("made>2010-01-01", ["hat-2"]), ("made = 2012-05-01", ["hat-2"]),
    ("made <= 2010-01-01", ["hat-1"]), ("day=2012-05-01", ["hat-1"]), ("day<2012-05-02", ["hat-1"]),
    ("made>'2010-01-01'", []), ("@@x=1", ["hat-1"]), (#""@x"=1"#, ["hat-1"]),
    ("@id = 'hat-1'", ["hat-1"]), ("@datestamp > '2001-01-01'", ["hat-1", "hat-2"]),
  ]

  @Test(arguments: conditions)
  func `conditions are read as SQL's users write them`(
    one: (condition: String, found: [Document])
  ) async throws {
    let store = try await scratch.hats()
    let first = #"made:={"date":"2009-05-01T00:00:00Z"}"#
    let second = #"made:={"date":"2012-05-01T00:00:00Z"}"#
    _ = try await Program.varve("set", store, "hat-1", first, "day=2012-05-01", "@x:=1")
    _ = try await Program.varve("set", store, "hat-2", second)
    let run = try await Program.varve("list", store, "Hat", "--where", one.condition, "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.result.elements.map { try $0["id"] } == one.found)
  }
}
#endif
