#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// `varve import --type` and what `varve export --csv` writes, read again.
@Suite struct CommaSeparatedImportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ text: String, _ name: String = "a.csv") throws -> String {
    let path = scratch.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func take(_ document: String, _ options: String...) async throws -> Program.Run {
    let store = scratch.path("a.varve")
    return try await Program.varve(
      ["import", store, document, "--create", "--type", "Hat", "--key", "k"] + options
    )
  }

  @Test func `no digit is lost, and the report lists the kinds`() async throws {
    let document = try write(
      "k,a,b,c,p\n1,0.1234567890123456789,1e-400,314e59,1.50\n2,12345678901234567890.12,1,1,2\n"
    )
    let run = try await take(document)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.lines.contains("  columns: k text, the key; a decimal; b text; c text; p double"),
      "\(run.output)"
    )
    let lines = try await Program.varve("export", scratch.path("a.varve"), "--csv", "--type", "Hat")
    #expect(
      lines.output == """
        id,a,b,c,k,p\r
        Hat/1,0.1234567890123456789,1e-400,314e59,1,1.5\r
        Hat/2,12345678901234567890.12,1,1,2,2.0\r

        """
    )
  }

  @Test(arguments: ["sep=;\r\n", "\u{FEFF}sep=;\n"])
  func `the separator may be named by a first line, as spreadsheets write it`(
    first: String
  ) async throws {
    let document = try write(first + "k;a\n1;x,y\n")
    let run = try await take(document)
    #expect(run.status == 0, "\(run.errors)")
    let value = try await Program.varve("get", scratch.path("a.varve"), "Hat/1", "a")
    #expect(value.output == "x,y\n", "\(value.output)")
    let wrong = try write(first + "k;a\n1;x;y\n", "b.csv")
    let refused = try await take(wrong)
    #expect(refused.errors.contains("line 3"), "\(refused.errors)")
  }

  @Test func `columns whose names Unicode calls equivalent have options of their own`()
    async throws
  {
    let document = try write("k,\u{e9},e\u{301}\n1,2,2018-01-01\n")
    let run = try await take(
      document,
      "--kind",
      "\u{e9}=double",
      "--kind",
      "e\u{301}=text"
    )
    #expect(run.status == 0, "\(run.errors)")
    let value = try await Program.varve("get", scratch.path("a.varve"), "Hat/1", "e\u{301}")
    #expect(value.output == "2018-01-01\n", "\(value.output)")
    let twice = try await take(document, "--kind", "k=text", "--kind", "k=text")
    #expect(twice.errors.contains("given twice"), "\(twice.errors)")
  }

  @Test func `a missing value is named by an option, and the report says which field needs it`()
    async throws
  {
    let document = try write("k,n\n1,5\n2,n/a\n3,7\n")
    let plain = try await take(document, "--plan")
    #expect(
      plain.lines.last
        == "  n is text because of \"n/a\" on line 3; 2 of 3 fields are integers "
        + "(--missing if it has no value)"
    )
    #expect(!FileManager.default.fileExists(atPath: scratch.path("a.varve")))
    let run = try await take(document, "--missing", "n/a", "--json")
    #expect(try run.result[0]["columns"][1]["kind"] == "integer", "\(run.output)")
    let dash = try await take(document, "--missing", "n/a", "--missing", "-", "--dry-run")
    #expect(dash.status == 0, "\(dash.errors)")
  }

  @Test func `another separator is refused with the option that takes it`() async throws {
    let document = try write("k;n\n1;5\n")
    let refused = try await take(document)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--separator ';'"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("a.varve")))
    #expect(try await take(document, "--separator", ";").status == 0)
    let tabs = try write("k\tn\n2\t5\n", "tabs.tsv")
    #expect(try await take(tabs, "--separator", "tab").status == 0)
    for wrong in ["", ";;", "ä"] {
      #expect(try await take(document, "--separator", wrong).status == 64)
    }
    let count = try await Program.varve("list", scratch.path("a.varve"), "Hat", "--count")
    #expect(count.lines == ["2"])
  }

  @Test func `options that files lack are refused for what they are`() async throws {
    let document = try write("k,n\n1,5\n")
    let store = scratch.path("a.varve")
    let tables = try await take(document, "--tables", "a")
    #expect(tables.status == 64 && tables.errors.contains("--tables is for SQLite databases."))
    for option in [["--missing", "x"], ["--separator", ";"], ["--identifiers", "k"]] {
      let run = try await Program.varve(["import", store, document] + option)
      #expect(run.status == 64 && run.errors.contains("\(option[0]) needs --type."))
    }
    let both = try await take(document, "--identifiers", "k")
    #expect(both.status == 64 && both.errors.contains("not both"))
    let twice = try await take(try write("k,n,n\n"))
    #expect(twice.errors.contains("columns 2 and 3 have the same heading, \"n\""))
  }

  @Test func `the printed options are words of a shell, whatever the names are`() async throws {
    let store = scratch.path("odd.varve")
    let operations = [
      #"{"op":"create","type":"-a","id":"x","set":{"":"1","a\tb":"2","it's":"3","\\n":"4","b":5}}"#,
      #"{"op":"create","type":"-a","id":"y","set":{"":"7","a\tb":"8","it's":"é","\\n":"a\tb"}}"#,
      #"{"op":"create","type":"Zero","id":"z","set":{"a\u0000b":"1","b":"2"}}"#,
    ]
    try Data(operations.joined(separator: "\n").utf8)
      .write(to: URL(fileURLWithPath: scratch.path("operations")))
    let made = try await Program.shell(
      "cd '\(scratch.path(""))'; \"$varve\" batch odd.varve --create < operations"
    )
    #expect(made.status == 0, "\(made.output) \(made.errors)")
    let document = scratch.path("odd.csv")
    let report = try await Program.varve(
      ["export", store, "--csv", "--type=-a", "--output", document]
    )
    let line = try #require(report.lines.last { $0.contains("again with") }, "\(report)")
    let options = line.split(separator: " with ", maxSplits: 1)[1]
    let again = try await Program.shell(
      "cd '\(scratch.path(""))'; \"$varve\" import copy.varve odd.csv --create \(options)"
    )
    #expect(again.status == 0, "\(options): \(again.errors)")
    for id in ["x", "y"] {
      let before = try await Program.varve("get", store, id, "--json").result
      let after = try await Program.varve("get", scratch.path("copy.varve"), id, "--json").result
      #expect(try before["properties"] == after["properties"])
    }
    let zero = try await Program.varve(
      ["export", store, "--csv", "--type", "Zero", "--output", document]
    )
    #expect(zero.output.contains("cannot have the zero character"), "\(zero.output)")
  }

  @Test func `exported lines come back equal by the options that the report prints`() async throws {
    let store = scratch.path("a.varve")
    _ = try await Program.varve("init", store)
    for assignments in [
      ["a", "zip=12", "size:=12", "id=x", #"made:={"date":"2018-12-08T14:30:00.123456Z"}"#],
      ["b", "zip=99", "size:=1", #"shop:={"entity":"s"}"#, #"photo:={"data":"AQI="}"#],
    ] {
      let run = try await Program.varve(
        ["create", store, "Hat", "--id"] + assignments
      )
      #expect(run.status == 0, "\(run.errors)")
    }
    let document = scratch.path("hats.csv")
    let report = try await Program.varve(
      "export",
      store,
      "--csv",
      "--type",
      "Hat",
      "--output",
      document
    )
    let line = try #require(report.lines.last)
    #expect(
      line == "  import again with --type Hat --identifiers id --kind photo=data "
        + "--kind shop=reference --kind zip=text --rename id_2=id",
      "\(report.output)"
    )
    let copy = scratch.path("copy.varve")
    let options = line.split(separator: " with ")[1].split(separator: " ").map(String.init)
    let again = try await Program.varve(["import", copy, document, "--create"] + options)
    #expect(again.status == 0, "\(again.errors)")
    for id in ["a", "b"] {
      let before = try await Program.varve("get", store, id, "--json").result
      let after = try await Program.varve("get", copy, id, "--json").result
      #expect(try before["properties"] == after["properties"])
    }
    _ = try await Program.varve("set", store, "a", "size=large")
    let mixed = try await Program.varve(
      ["export", store, "--csv", "--type", "Hat", "--output", document, "--json"]
    )
    #expect(
      try mixed.result["inexact"]["size"] == "it has values of several kinds: integer, string"
    )
    let piped = try await Program.varve("export", store, "--csv", "--type", "Hat")
    #expect(piped.errors.contains("not read again as it was: size"))
  }
}
#endif
