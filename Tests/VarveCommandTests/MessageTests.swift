#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// The messages of errors, and their remedies.
@Suite struct MessageTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The error of each operation, on a store with hats.
  private func errors(_ operations: [String]) async throws -> [Document] {
    let store = try await scratch.hats()
    let file = scratch.path("operations.jsonl")
    try Data(operations.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    return try await Program.varve("batch", store, file).lines.map {
      try JSONDecoder().decode(Document.self, from: Data($0.utf8))["error"]
    }
  }

  @Test func `operations name the number, the operators and the document's line`() async throws {
    let errors = try await errors([
      #"{"op":"log","limit":-1}"#, #"{"op":"query","type":"Hat","where":{"a":{"~":1}}}"#,
      #"{"op":"interchange.import","text":"{\"entities\": ["}"#,
      #"{"op":"interchange.import","json":7}"#, #"{"op":"history","id":"nobody"}"#,
    ])
    #expect(try errors[0]["message"] == "an integer from 0 is expected, not -1")
    #expect(try errors[1]["remedy"].text.contains("startsWith contains"))
    #expect(try errors[2]["at"].text.hasPrefix("line 3, document line 1, column 15"))
    #expect(try errors[3]["at"] == "line 4, json")
    #expect(try errors[4]["code"] == "notFound")
  }

  @Test(arguments: [
    (#"{"op":"create","type":"T","author":"LONG"}"#, "author"),
    (#"{"op":"create","type":"T","message":"LONG"}"#, "message"),
    (#"{"op":"create","type":"LONG"}"#, "type"),
    (#"{"op":"create","type":"T","set":{"LONG":1}}"#, "set"),
    (#"{"op":"relate","from":"hat-1","kind":"free","to":"hat-2","named":"LONG"}"#, "named"),
  ])
  func `a name that is too long is reported with its field`(
    operation: (line: String, field: String)
  ) async throws {
    let long = String(repeating: "n", count: 65_537)
    let error = try await errors([operation.line.replacing("LONG", with: long)])[0]
    #expect(try error["code"] == "invalidArgument")
    #expect(try error["at"].text.hasSuffix(", \(operation.field)"))
  }

  @Test func `a byte order mark before operations is ignored`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell(
      #"printf '\xef\xbb\xbf{"op":"types"}\n\xef\xbb\xbf{"op":"types"}\n' | "$varve" batch '\#(store)'"#
    )
    #expect(run.lines.map { $0.hasPrefix(#"{"ok":true"#) } == [true, false])
  }

  @Test func `operations read the state a commit left`() async throws {
    let store = try await scratch.hats()
    let commit = try await Program.varve("log", store, "--json").result[2]["hash"].text
    let run = try await Program.shell(
      """
      for state in '\(commit.prefix(8))' now 0000000; do
        echo '{"op":"all","asOf":"'$state'"}'; done | "$varve" batch '\(store)'
      """
    )
    #expect(run.lines[0] == #"{"ok":true,"result":["shop-1","hat-1"]}"#)
    #expect(run.lines[1] == #"{"ok":true,"result":["shop-1","hat-1","hat-2"]}"#)
    #expect(run.lines[2].contains(#""code":"notFound""#))
  }

  @Test func `an entity of another type is a type mismatch`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-1", "--type", "Shop", "a=b", "--json")
    #expect(try run.document["error"]["code"] == "typeMismatch")
  }

  @Test func `a file of 0 bytes does not become a store, and memory is not a file`() async throws {
    let file = scratch.path("empty.varve")
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    let empty = try await Program.varve("init", file, "--json")
    #expect(try empty.document["error"]["code"] == "notAStore")
    try FileManager.default.removeItem(atPath: file)
    #expect(try await Program.varve("init", file).output.hasPrefix("created "))
    #expect(try await Program.varve("init", file).output.contains("already is a store"))
    let memory = try await Program.varve("init", ":memory:", "--json")
    #expect(try memory.document["error"]["code"] == "invalidArgument")
  }

  @Test func `a document, a mapping and a database that are not there are named as such`()
    async throws
  {
    let (store, document) = (scratch.path("s.varve"), scratch.path("d.json"))
    try Data("[]".utf8).write(to: URL(fileURLWithPath: document))
    let (none, mapping) = (scratch.path("none"), scratch.path("m.json"))
    let text = #"{"mappings":{"M":{"id":"k","attributes":{"k":"k"}}},"roots":[{"mapping":"M"}]}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: mapping))
    for arguments in [
      [document, "--mapping", none], [none, "--mapping", mapping], [none, "--plan"],
      [none, "--end-missing"], [none, "--type", "T"], [none],
    ] {
      let run = try await Program.varve(["import", store] + arguments + ["--create", "--json"])
      #expect(try run.document["error"]["code"] == "notFound", "\(arguments): \(run.output)")
      #expect(run.output.contains(none), "\(arguments): \(run.output)")
      #expect(!run.output.contains("erased"), "\(run.output)")
      #expect(!FileManager.default.fileExists(atPath: store))
    }
  }

  @Test func `a webhook to this computer or its network is refused when it is added`() async throws
  {
    for address in ["127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1"] {
      let run = try await Program.varve(
        [
          "webhook", "add", "w", "--in", scratch.path(""), "--url", "http://\(address)/", "--space",
          "*",
        ]
      )
      #expect(run.status == 1 && run.errors.contains("--private"), "\(address): \(run.errors)")
    }
  }

  @Test func `a webhook for a space that there is not yet is noted`() async throws {
    _ = try await scratch.hats()
    let spaces = ["--space", "hats", "--space", "caps", "--space", "*"]
    let run = try await Program.varve(
      ["webhook", "add", "w", "--in", scratch.path(""), "--url", "https://example.com/"] + spaces
    )
    #expect(run.status == 0)
    #expect(run.errors.contains(#"no space "caps""#), "\(run.errors)")
    #expect(!run.errors.contains("hats\"") && !run.errors.contains("*"), "\(run.errors)")
  }

  @Test func `a table that is not UTF-8 is refused with a way to convert it`() async throws {
    let (store, file) = (try await scratch.hats(), scratch.path("t.csv"))
    try Data("name,n\nM\u{0}ller,1\n".utf8.map { $0 == 0 ? 0xFC : $0 })
      .write(to: URL(fileURLWithPath: file))
    let run = try await Program.varve("import", store, file, "--type", "T")
    #expect(run.status == 1 && run.errors.contains("line 2"), "\(run.errors)")
    #expect(run.errors.contains("iconv"), "\(run.errors)")
  }

  @Test func `options that would be ignored are refused`() async throws {
    let store = try await scratch.hats()
    let file = scratch.path("t.csv")
    try Data("a\n1\n".utf8).write(to: URL(fileURLWithPath: file))
    for arguments in [
      ["import", store, file, "--type", "T", "--pointer", "/x"],
      ["import", store, file, "--type", "T", "--as", "M"],
      ["import", store, file, "--type", "T", "--keyed-by", "k"],
      ["export", store, "--csv", "--type", "Hat", "--form", "compact"],
      ["list", store, "--limit", "0"], ["list", store, "--offset", "1"],
    ] {
      let run = try await Program.varve(arguments)
      #expect(run.status == 64, "\(arguments): \(run.errors)")
    }
    #expect(
      try await Program.varve("list", store, "Hat", "--limit", "0").output.contains("in this part")
    )
  }

  @Test func `get shows to-many properties and their elements`() async throws {
    let store = try await scratch.hats()
    let link =
      #"{"op":"link","id":"hat-1","property":"tags","many":"list","to":["hat-2","hat-3","hat-2"]}"#
    let lines = scratch.path("lines.jsonl")
    try Data(link.utf8).write(to: URL(fileURLWithPath: lines))
    #expect(try await Program.shell("\"$varve\" batch '\(store)' < '\(lines)'").status == 0)
    #expect(
      try await Program.varve("get", store, "hat-1", "tags").output == "hat-2\nhat-3\nhat-2\n"
    )
    #expect(try await Program.varve("get", store, "hat-1").output.contains("to-many"))
    let all = try await Program.varve("get", store, "hat-1", "--json")
    #expect(
      all.output.contains(#""collections":{"tags":["hat-2","hat-3","hat-2"]}"#),
      "\(all.output)"
    )
    let missing = try await Program.varve("get", store, "hat-1", "nope")
    #expect(missing.status == 1 && missing.errors.contains("tags"), "\(missing.errors)")
  }

  @Test func `an entity that is not there in a past state is not to be created in it`() async throws
  {
    let store = try await scratch.hats()
    for command in ["get", "history"] {
      let run = try await Program.varve(command, store, "hat-1", "--as-of", "1999")
      #expect(run.status != 0)
      let dated = try await Program.varve(command, store, "hat-1", "--as-of", "1999-01-01")
      #expect(dated.errors.contains("in this state"), "\(dated.errors)")
      #expect(!dated.errors.contains("create"), "\(dated.errors)")
    }
  }

  @Test func `remedies name options of the command line`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve("erase", store, "shop-1")
    let restore = try await Program.varve("restore", store, "hat-1")
    #expect(restore.errors.contains("--with-owners") && restore.errors.contains("--as-root"))
    let create = try await Program.varve("create", store, "Hat", "--id", "hat-2")
    #expect(!create.errors.contains("`save`"))
  }

  @Test(arguments: [
    (#"x:={"a":1}"#, "property x"), (#"x:={"array":[1,{"a":1}]}"#, "property x, array[1]"),
    (#"x:={"dictionary":{"k":{"date":"never"}}}"#, "property x, dictionary.k.date"),
    (#"x:={"entity":""}"#, "property x, entity"),
    (#"x:={"value":1,"type":""}"#, "property x, type"),
  ])
  func `a value that cannot be stored is named by its property and its path`(
    assignment: (text: String, place: String)
  ) async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-1", assignment.text, "--json")
    #expect(try run.document["error"]["at"] == .string(assignment.place))
  }

  @Test(arguments: [
    (#"{"op":"set","id":"hat-1","set":{"a":{"value":1,"type":""}}}"#, "column 55, set.a.type"),
    (#"{"op":"set","id":"hat-1","set":{"a":{"b":1}}}"#, "column 37, set.a"),
    (
      #"{"op":"set","id":"hat-1","set":{"a":{"array":[1,{"date":"x"}]}}}"#,
      "column 57, set.a.array[1].date"
    ),
    (#"{"op":"query","type":"Hat","where":{"a":[1]}}"#, "column 41, where.a"),
  ])
  func `an operation's value that cannot be stored is named by its path`(
    operation: (line: String, place: String)
  ) async throws {
    let error = try await errors([operation.line])[0]
    #expect(try error["at"].text == "line 1, \(operation.place)")
  }

  @Test(arguments: ["", "abc", "hat-1", "12345g"])
  func `a text that cannot be a commit is refused with a remedy`(text: String) async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("undo", store, text, "--json")
    #expect(try run.document["error"]["code"] == "invalidArgument")
    #expect(try run.document["error"]["message"].text.contains("\"\(text)\""))
    #expect(try run.document["error"]["remedy"].text.contains("log"))
  }

  @Test func `a number that is no integer of 64 bits has a remedy`() async throws {
    let error = try await errors([
      #"{"op":"set","id":"hat-1","set":{"a":{"double":9223372036854775808}}}"#
    ])[0]
    #expect(try error["code"] == "invalidJSON" && !error["remedy"].text.isEmpty)
  }
}
#endif
