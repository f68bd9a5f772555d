#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// The distinctions that tables show, and their widths.
@Suite struct LosslessTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `history in CSV distinguishes a text from a value that looks the same`() async throws {
    let store = scratch.path("s.varve")
    for command in [
      ["init", store], ["set", store, "a", "--type", "T", "x=(removed)"],
      ["set", store, "a", "x:=null"], ["set", store, "a", "x=b"],
      ["set", store, "a", #"x:={"entity":"b"}"#], ["set", store, "a", #"x:={"data":"AAEC"}"#],
      ["set", store, "a", "x=(created, T)"], ["set", store, "a", "x=12"],
      ["set", store, "a", "x:=12"],
    ] {
      #expect(try await Program.varve(command).status == 0)
    }
    let rows = try await Program.varve("history", store, "a", "--csv").csv
    #expect(
      rows[0] == [
        "time", "change", "key", "kind", "type", "value", "author", "message", "commit",
      ]
    )
    let said = rows.dropFirst().map { [$0[1], $0[3], $0[5]] }
    #expect(
      said == [
        ["set", "integer", "12"], ["set", "string", "12"], ["set", "string", "(created, T)"],
        ["set", "data", #"{"data":"AAEC"}"#], ["set", "entity", #"{"entity":"b"}"#],
        ["set", "string", "b"], ["removed", "", ""], ["set", "string", "(removed)"],
        ["created", "", "T"],
      ]
    )
    #expect(Set(said).count == said.count)
    #expect(rows.dropFirst().allSatisfy { $0[8].count == 64 })
  }

  @Test func `a long value is not underlined to its end`() async throws {
    let store = scratch.path("s.varve")
    let file = scratch.path("o.jsonl")
    let text = String(repeating: "x", count: 100_000)
    try Data(#"{"op":"create","type":"T","id":"a","set":{"big":"\#(text)","z":1}}"#.utf8)
      .write(to: URL(fileURLWithPath: file))
    _ = try await Program.varve("batch", store, file, "--create", "--strict")
    for command in [["get", store, "a"], ["list", store, "T"], ["history", store, "a"]] {
      let run = try await Program.varve(command)
      #expect(run.output.contains(text))
      #expect(run.output.utf8.count < 103_000)
    }
  }

  @Test func `attributes of every entity can be columns`() async throws {
    let store = try await scratch.hats(at: "2018-06-01")
    let rows = try await Program.varve(
      "list",
      store,
      "Hat",
      "--columns",
      "@type,@datestamp,size",
      "--csv"
    ).csv
    #expect(rows[0] == ["id", "@type", "@datestamp", "size"])
    #expect(rows[1] == ["hat-1", "Hat", "2018-06-01T00:00:00.000Z", "12"])
  }

  @Test func `an empty list prints a sentence`() async throws {
    let store = try await scratch.hats()
    #expect(try await Program.varve("list", store, "Scarf").output == "no Scarf\n")
    #expect(try await Program.varve("list", store, "Scarf", "--csv").output == "id\r\n")
    #expect(
      try await Program.varve("list", store, "--as-of", "1999-01-01").output == "no entities\n"
    )
  }

  @Test func `stats of a date prints the date`() async throws {
    let store = try await scratch.hats(at: "2018-06-01")
    let stats = try await Program.varve("stats", store, "--as-of", "2020-01-01", "--json").result
    let again = try await Program.varve("stats", store, "--as-of", try stats["asOf"].text, "--json")
    #expect(try again.result == stats)
  }
}
#endif
