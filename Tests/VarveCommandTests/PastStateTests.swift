#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

/// One store, the four commits of which made a shop, two hats and a relation, then a fifth.
@Suite struct PastStateTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let readers: [[String]] = [
    ["get", "STORE", "shop-1"], ["list", "STORE"], ["list", "STORE", "Hat"],
    ["list", "STORE", "--all"], ["history", "STORE", "shop-1"], ["log", "STORE"],
    ["conflicts", "STORE"], ["issues", "STORE"], ["stats", "STORE"],
  ]

  @Test(arguments: readers)
  func `every reading command reads a date, a commit and a frontier`(
    arguments: [String]
  ) async throws {
    let store = try await scratch.hats()
    let command = arguments.map { $0 == "STORE" ? store : $0 }
    let frontier = try await frontier(of: store)
    _ = try await Program.varve("set", store, "shop-1", "name=Bonnet")
    _ = try await Program.varve("create", store, "Hat", "--id", "hat-3")
    let commit = try await Program.varve("log", store, "--json").result[2]["hash"].text
    let byCommit = try await Program.varve(command + ["--as-of", commit, "--json"])
    let byFrontier = try await Program.varve(command + ["--as-of", frontier, "--json"])
    #expect(byCommit.status == 0)
    #expect(byCommit.output == byFrontier.output)
    #expect(!byCommit.output.contains("Bonnet") && !byCommit.output.contains("hat-3"))
    let future = try await Program.varve(command + ["--as-of", "2200-01-01", "--json"])
    let now = try await Program.varve(command + ["--as-of", "now", "--json"])
    let present = try await Program.varve(command + ["--json"])
    #expect(now.output == present.output)
    if command[0] != "stats" { #expect(future.output == present.output) }
    let early = try await Program.varve(command + ["--as-of", "2001-01-01", "--json"])
    #expect(early.status == (["get", "history"].contains(command[0]) ? 1 : 0))
    #expect(!early.output.contains("Chapeau"))
  }

  @Test(arguments: readers)
  func `a missing state is a typed error`(arguments: [String]) async throws {
    let store = try await scratch.hats()
    let command = arguments.map { $0 == "STORE" ? store : $0 } + ["--json", "--as-of"]
    let unknown = try await Program.varve(command + ["00000000"])
    #expect(unknown.status == 1)
    #expect(try unknown.document["error"]["code"] == "notFound")
    let foreign = try await frontier(of: try await scratch.hats("other.varve"))
    let elsewhere = try await Program.varve(command + [foreign])
    #expect(elsewhere.status == 1)
    #expect(try elsewhere.document["error"]["code"] == "notFound")
    let far = try await Program.varve(command + ["9999-01-01"])
    #expect(try far.document["error"]["code"] == "timeOutOfRange")
  }

  @Test(arguments: ["yesterday", "123", "{}", "{\"frontier\":1}", "2024-02-30", "0x123456", ""])
  func `an invalid name of a state is a usage error`(text: String) async throws {
    let run = try await Program.varve("list", scratch.path("none"), "--as-of", text)
    #expect(run.status == 64)
    #expect(run.errors.contains("write a state as a date"))
  }

  @Test func `a commit names everything its author had seen, also of other copies`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    _ = try await Program.varve("merge", store, copy, "--create")
    let set = try await Program.varve("set", copy, "hat-1", "color=black", "--json")
    let commit = try set.result["commit"]["hash"].text
    _ = try await Program.varve("set", copy, "hat-1", "color=white")
    let hats = try await Program.varve("list", copy, "Hat", "--count", "--as-of", commit)
    #expect(hats.output == "2\n")
    let color = try await Program.varve("get", copy, "hat-1", "color", "--as-of", commit)
    #expect(color.output == "black\n")
    let diff = try await Program.varve("diff", copy, commit, "--csv").csv
    #expect(diff.dropFirst() == [["changed", "Hat", "hat-1", "color", "black", "white"]])
  }

  @Test func `entities of all types are in the order of their creation`() async throws {
    let store = scratch.path("order.varve")
    _ = try await Program.varve("init", store)
    let operations = ["Z", "A", "M", "Z", "A"].enumerated().map {
      #"{"op":"create","type":"\#($1)","id":"\#($0)"}"#
    }.joined(separator: ",")
    let line = #"{"op":"transaction","operations":[\#(operations)]}"#
    _ = try await Program.shell("echo '\(line)' | \"$varve\" batch '\(store)'")
    _ = try await Program.varve("create", store, "B", "--id", "early", "--at", "1999-01-01")
    let list = try await Program.varve("list", store, "--all", "--csv").csv
    #expect(list.map { $0[0] } == ["id", "early", "0", "1", "2", "3", "4"])
    #expect(list.map { $0[1] } == ["type", "B", "Z", "A", "M", "Z", "A"])
    let all = try await Program.shell("echo '{\"op\":\"all\"}' | \"$varve\" batch '\(store)'")
    #expect(try all.result == ["early", "0", "1", "2", "3", "4"])
    let part = try await Program.varve("list", store, "--all", "--offset", "1", "--limit", "2")
    #expect(part.lines.dropFirst(2).map { $0.prefix(1) } == ["0", "1"])
  }

  private func frontier(of store: String) async throws -> String {
    let run = try await Program.shell(
      """
      "$varve" stats '\(store)' --json |
        python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["result"]["asOf"]))'
      """
    )
    return run.lines[0]
  }
}
#endif
