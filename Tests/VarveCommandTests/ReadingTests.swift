#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct ReadingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `get shows an entity as a table`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("get", store, "hat-1")
    #expect(run.status == 0)
    #expect(run.lines.first == "Hat hat-1")
    #expect(run.lines.contains("owned by shop-1"))
    #expect(
      run.output.hasSuffix(
        "key    value  type\n─────  ─────  ───────\n"
          + "color  red    string\nsize   12     integer\n"
      )
    )
  }

  @Test func `get of a missing property names the existing ones`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("get", store, "hat-1", "weight")
    #expect(run.status == 1)
    #expect(run.errors.contains("color, size"))
  }

  @Test(arguments: [
    #"sold["2018"]=5"#, #"sold["a]b"]=6"#, "sold[many][1]=8", #"sold["many"][0]=7"#,
  ])
  func `a condition looks into dictionaries and arrays, by names in quotes too`(
    condition: String
  ) async throws {
    let store = try await scratch.hats()
    let sold = #"sold:={"dictionary":{"2018":5,"a]b":6,"many":{"array":[7,8]}}}"#
    #expect(try await Program.varve("set", store, "hat-1", sold).status == 0)
    let run = try await Program.varve("list", store, "Hat", "--where", condition, "--json")
    #expect(run.output.contains("hat-1") && !run.output.contains("hat-2"), "\(run.output)")
  }

  @Test func `list without a type counts the types`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("list", store, "--json")
    #expect(try run.result == [["type": "Hat", "count": 2], ["type": "Shop", "count": 1]])
  }

  @Test func `SQL without rows has its headings in comma-separated values`() async throws {
    let store = try await scratch.hats()
    let sql = "SELECT color, size AS n FROM Hat WHERE size > 1000"
    #expect(try await Program.varve("query", store, sql, "--csv").csv == [["color", "n"]])
    #expect(try await Program.varve("query", store, sql).output == "no rows\n")
    #expect(try await Program.varve("query", store, sql, "--json").result == [])
  }

  @Test func `list shows a column for every key, numbers to the right`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("list", store, "Hat")
    #expect(
      run.output == """
        id     color  size  sold
        ─────  ─────  ────  ────
        hat-1  red      12
        hat-2  green     7  true

        """
    )
    let chosen = try await Program.varve("list", store, "Hat", "--columns", "size", "--limit", "1")
    #expect(chosen.output == "id     size\n─────  ────\nhat-1    12\n")
  }

  @Test func `wide characters are aligned and control characters shown`() async throws {
    let store = scratch.path("wide.varve")
    _ = try await Program.varve("init", store)
    for (id, name) in [("a", "日本"), ("b", "🇸🇿x"), ("c", "e\u{301}t"), ("d", "one\ntwo\u{1B}")] {
      _ = try await Program.varve("set", store, id, "--type", "T", "name=\(name)", "z=.")
    }
    let run = try await Program.varve("list", store, "T")
    #expect(
      run.lines.dropFirst(2) == [
        "a   日本            .", "b   🇸🇿x             .", "c   e\u{301}t              .",
        #"d   one\ntwo\u{1b}  ."#,
      ]
    )
  }

  static let conditions: [(condition: String, found: [Document])] = [
    ("color=red", ["hat-1"]), ("color!=red", ["hat-2"]), ("size>7", ["hat-1"]),
    ("size>=7", ["hat-1", "hat-2"]), ("size<7.5", ["hat-2"]), ("size<=12", ["hat-1", "hat-2"]),
    ("color^=gr", ["hat-2"]), ("color*=e", ["hat-1", "hat-2"]), ("sold=true", ["hat-2"]),
    ("sold=null", ["hat-1"]), ("sold!=null", ["hat-2"]), (#"size="12""#, []),
    (#"color="red""#, ["hat-1"]), ("@id=hat-2", ["hat-2"]), ("@id^=hat", ["hat-1", "hat-2"]),
    ("@datestamp>2020-01-01", ["hat-1", "hat-2"]), ("@modified<2020-01-01", []),
  ]

  @Test(arguments: conditions)
  func `conditions narrow a list`(
    condition: (condition: String, found: [Document])
  ) async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve(
      "list",
      store,
      "Hat",
      "--where",
      condition.condition,
      "--json"
    )
    #expect(run.status == 0)
    #expect(try run.result.elements.map { try $0["id"] } == condition.found)
  }

  @Test func `conditions hold together, and lists are ordered, bounded and counted`() async throws {
    let store = try await scratch.hats()
    let both = try await Program.varve(
      "list",
      store,
      "Hat",
      "--where",
      "size>1",
      "--where",
      "color=red",
      "--count"
    )
    #expect(both.output == "1\n")
    let ascending = try await Program.varve("list", store, "Hat", "--order", "size", "--json")
    #expect(try ascending.result.elements.map { try $0["id"] } == ["hat-2", "hat-1"])
    let descending = try await Program.varve(
      "list",
      store,
      "Hat",
      "--order",
      "-color",
      "--limit",
      "1",
      "--json"
    )
    #expect(try descending.result.elements.map { try $0["id"] } == ["hat-1"])
    let rest = try await Program.varve("list", store, "Hat", "--offset", "1", "--json")
    #expect(try rest.result.elements.map { try $0["id"] } == ["hat-2"])
  }

  @Test func `history shows values with time, author and message, newest first`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve(
      "set",
      store,
      "hat-1",
      "color=blue",
      "--author",
      "ana",
      "--message",
      "repainted",
      "--at",
      "2030-05-01"
    )
    _ = try await Program.varve("set", store, "hat-1", "color:=null", "--at", "2031-05-01")
    let run = try await Program.varve("history", store, "hat-1", "color", "--json")
    let versions = try run.result.elements
    #expect(try versions.map { try $0["change"] } == ["removed", "set", "set"])
    #expect(try versions.map { try $0["value"] } == [.null, "blue", "red"])
    #expect(try versions[1]["author"] == "ana")
    #expect(try versions[1]["message"] == "repainted")
    #expect(try versions[1]["time"] == "2030-05-01T00:00:00.000Z")
    let table = try await Program.varve("history", store, "hat-1", "color")
    #expect(table.lines.count == 5)
    #expect(table.lines[3].hasPrefix("2030-05-01 00:00:00  blue       ana     repainted  "))
  }

  @Test func `erased entities have a history, unknown ones are an error`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve("erase", store, "hat-2", "--author", "sam")
    let run = try await Program.varve("history", store, "hat-2")
    #expect(run.status == 0)
    #expect(run.lines[2].contains("(erased)"))
    #expect(try await Program.varve("history", store, "hat-9").status == 1)
  }

  @Test func `the past is read with --as-of`() async throws {
    let store = scratch.path("past.varve")
    _ = try await Program.varve("init", store)
    _ = try await Program.varve(
      "set",
      store,
      "hat-1",
      "--type",
      "Hat",
      "color=red",
      "--at",
      "2018-01-01"
    )
    _ = try await Program.varve("set", store, "hat-1", "color=blue", "--at", "2020-01-01")
    _ = try await Program.varve("erase", store, "hat-1", "--at", "2022-01-01")
    for (date, color) in [("2018-01-01", "red"), ("2019-12-31", "red"), ("2021-01-01", "blue")] {
      let run = try await Program.varve("get", store, "hat-1", "color", "--as-of", date)
      #expect(run.output == color + "\n")
      let list = try await Program.varve("list", store, "Hat", "--as-of", date, "--count")
      #expect(list.output == "1\n")
    }
    #expect(try await Program.varve("get", store, "hat-1", "--as-of", "2017-01-01").status == 1)
    #expect(try await Program.varve("get", store, "hat-1").status == 1)
  }

  @Test func `the log shows authors, content and messages`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve(
      "set",
      store,
      "hat-1",
      "color=blue",
      "--author",
      "ana",
      "--message",
      "repainted"
    )
    let run = try await Program.varve("log", store, "--json")
    let commits = try run.result.elements
    #expect(commits.count == 5)
    #expect(try commits[0]["author"] == "ana")
    #expect(try commits[0]["message"] == "repainted")
    let table = try await Program.varve("log", store, "--limit", "2")
    #expect(table.lines.count == 4)
  }

  @Test func `the author may come from the environment`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell("VARVE_AUTHOR=kim \"$varve\" set '\(store)' hat-1 color=x")
    #expect(run.status == 0)
    let log = try await Program.varve("log", store, "--limit", "1", "--json")
    #expect(try log.result[0]["author"] == "kim")
  }
}
#endif
