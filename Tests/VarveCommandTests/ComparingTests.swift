#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct ComparingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `diff shows additions, changes and ends`() async throws {
    let store = try await dated()
    let run = try await Program.varve("diff", store, "2019-01-01", "2021-01-01")
    #expect(
      run.output == """
        + Hat hat-2
            color: green
            now is related to hat-1 as resembles
        ~ Hat hat-1
            color: red → blue
            size: was 12
        - Hat hat-3
            color: was black
        1 added, 1 changed, 1 ended

        """
    )
    let back = try await Program.varve("diff", store, "2021-01-01", "2019-01-01")
    #expect(back.lines.last == "1 added, 1 changed, 1 ended")
    #expect(back.lines.contains("    color: blue → red"))
    let same = try await Program.varve("diff", store, "2021-01-01")
    #expect(same.output == "nothing differs\n")
  }

  @Test func `diff shows no relation to what is dead, and its JSON says that it is`() async throws {
    let store = scratch.path("ended.varve")
    let run = try await Program.shell(
      """
      set -e; cd '\(scratch.path(""))'; "$varve" init ended.varve
      "$varve" create ended.varve T --id b; "$varve" create ended.varve T --id a
      "$varve" relate ended.varve b owns a; "$varve" relate ended.varve b free a --named f
      "$varve" erase ended.varve a
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    let shown = try await Program.varve("diff", store, "2019-01-01")
    #expect(shown.output == "+ T b\n1 added, 0 changed, 0 ended\n")
    let json = try await Program.varve("diff", store, "2019-01-01", "--json").result
    #expect(try json["added"][0]["dead"] == ["a"])
  }

  @Test func `diff as JSON has the same content`() async throws {
    let store = try await dated()
    let json = try await Program.varve("diff", store, "2019-01-01", "--json").result
    #expect(try json["added"][0]["id"] == "hat-2")
    #expect(try json["changed"][0]["properties"]["color"] == ["old": "red", "new": "blue"])
    #expect(try json["changed"][0]["properties"]["size"] == ["old": 12, "new": .null])
    #expect(try json["ended"][0]["id"] == "hat-3")
    let csv = try await Program.varve("diff", store, "2019-01-01", "--csv").csv
    #expect(
      csv == [
        ["change", "type", "id", "key", "old", "new"],
        ["added", "Hat", "hat-2", "color", "", "green"],
        ["added", "Hat", "hat-2", "", "", "is related to hat-1 as resembles"],
        ["changed", "Hat", "hat-1", "color", "red", "blue"],
        ["changed", "Hat", "hat-1", "size", "12", ""],
        ["ended", "Hat", "hat-3", "color", "black", ""],
      ]
    )
  }

  @Test func `undo reverts a commit and lists what it keeps, with the reasons`() async throws {
    let store = try await scratch.hats()
    let set = try await Program.varve(
      "set",
      store,
      "hat-1",
      "color=blue",
      "size:=13",
      "--json"
    )
    let commit = try set.result["commit"]["hash"].text
    _ = try await Program.varve("set", store, "hat-1", "size:=14")
    let run = try await Program.varve("undo", store, String(commit.prefix(12)), "--author", "sam")
    #expect(run.status == 0)
    #expect(run.lines[0] == "set back: 1")
    #expect(run.lines[1].hasPrefix("kept hat-1 size: changed since by commit "))
    #expect(run.lines[2].hasPrefix("undone by commit "))
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "red\n")
    #expect(try await Program.varve("get", store, "hat-1", "size").output == "14\n")
    let again = try await Program.varve("undo", store, commit)
    #expect(again.lines.last == "nothing to undo")
  }

  @Test func `undo for programs names entities, keys and reasons`() async throws {
    let store = try await scratch.hats()
    let commits = try await Program.varve("log", store, "--json").result
    let related = try commits[0]["hash"].text
    let json = try await Program.varve("undo", store, related, "--json").result
    #expect(try json["unrelated"][0]["to"] == "hat-1")
    #expect(try json["skipped"] == [])
    let created = try commits[1]["hash"].text
    let csv = try await Program.varve("undo", store, created, "--csv").csv
    #expect(csv == [["what", "id", "key", "to", "reason"], ["erased", "hat-2", "", "", ""]])
    let unknown = try await Program.varve("undo", store, "00000000", "--json")
    #expect(unknown.status == 1)
    #expect(try unknown.document["error"]["code"] == "notFound")
    let short = try await Program.varve("undo", store, "0", "--json")
    #expect(try short.document["error"]["code"] == "invalidArgument")
  }

  /// Red and black hats of 2018; in 2020 one is repainted, one erased, and a green one added.
  private func dated() async throws -> String {
    let store = scratch.path("dated.varve")
    let commands = [
      ["init", store],
      ["set", store, "hat-1", "--type", "Hat", "color=red", "size:=12", "--at", "2018-01-01"],
      ["set", store, "hat-3", "--type", "Hat", "color=black", "--at", "2018-01-01"],
      ["set", store, "hat-1", "color=blue", "size:=null", "--at", "2020-01-01"],
      ["erase", store, "hat-3", "--at", "2020-01-01"],
      ["set", store, "hat-2", "--type", "Hat", "color=green", "--at", "2020-01-01"],
      ["relate", store, "hat-2", "free", "hat-1", "--named", "resembles", "--at", "2020-01-01"],
    ]
    for command in commands {
      let run = try await Program.varve(command)
      guard run.status == 0 else { throw Scratch.Unexpected(run: run) }
    }
    return store
  }
}
#endif
