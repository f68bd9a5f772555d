#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct WritingToManyTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `update writes to all entities that satisfy conditions, in one commit`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("update", store, "Hat", "size:=5", "sold:=null", "--json")
    #expect(run.status == 0)
    #expect(try run.result["changed"] == 2)
    let again = try await Program.varve("update", store, "Hat", "size:=5", "--json")
    #expect(try again.result["changed"] == 0 && again.result["commit"] == .null)
    let arguments = ["--where", "color=red", "--order", "-size", "--limit", "1"]
    let one = try await Program.varve(["update", store, "Hat", "size:=6"] + arguments)
    #expect(one.output.hasPrefix("changed 1 entity (commit "))
    let past = try await Program.varve("list", store, "Hat", "--where", "size=6", "--count")
    #expect(past.output == "1\n")
  }

  @Test func `update takes values with semantic types beside others`() async throws {
    let store = try await scratch.hats()
    let typed = #"size:={"value":12,"type":"centimeters"}"#
    let run = try await Program.varve("update", store, "Hat", typed, "color=red", "--json")
    #expect(try run.result["changed"] == 2)
    let again = try await Program.varve("update", store, "Hat", "size:=12", "--json")
    #expect(try again.result["changed"] == 0)
  }

  @Test func `erase takes a type and conditions`() async throws {
    let store = try await scratch.hats()
    let plan = try await Program.varve("erase", store, "--type", "Shop", "--dry-run")
    #expect(plan.output.contains("would erase 2 entities"))
    let run = try await Program.varve(
      "erase",
      store,
      "--type",
      "Hat",
      "--where",
      "size<10",
      "--json"
    )
    #expect(try run.result["erased"] == ["hat-2"])
    let mistakes = [
      ["--type", "Hat", "hat-1"], ["hat-1", "--where", "size=1"], [],
      ["--type", "Hat", "--limit", "-1"],
    ]
    for arguments in mistakes {
      #expect(try await Program.varve(["erase", store] + arguments).status == 64)
    }
  }

  @Test func `upsert finds an entity by its values, or creates it`() async throws {
    let store = try await scratch.hats()
    let steps: [(arguments: [String], outcome: Document)] = [
      (["color=red", "size:=13"], "changed"), (["color=red", "size:=13"], "unchanged"),
      (["color=black", "--id", "hat-3"], "created"), (["color=black", "--insert"], "unchanged"),
      (["color=white", "--insert"], "created"),
    ]
    for step in steps {
      let run = try await Program.varve(
        ["upsert", store, "Hat", "--on", "color"] + step.arguments + ["--json"]
      )
      #expect(run.status == 0)
      #expect(try run.result["outcome"] == step.outcome)
    }
    let hat = try await Program.varve("get", store, "hat-1", "size")
    #expect(hat.output == "13\n")
    let missing = try await Program.varve("upsert", store, "Hat", "--on", "code", "color=red")
    #expect(missing.status == 1 && missing.errors.contains("invalidArgument"))
  }

  @Test func `upsert keeps the semantic types of equal plain values`() async throws {
    let store = try await scratch.hats()
    let typed = #"size:={"value":12,"type":"centimeters"}"#
    _ = try await Program.varve("update", store, "Hat", typed, "--where", "color=red")
    let upsert = ["upsert", store, "Hat", "--on", "size", "--json"]
    let equal = try await Program.varve(upsert + ["size:=12"])
    #expect(try equal.result["outcome"] == "unchanged")
    let named = try await Program.varve(upsert + [#"size:={"value":12,"type":"integer"}"#])
    #expect(try named.result["outcome"] == "changed")
    let operations = """
      {"op":"update","id":"hat-1","set":{"size":{"value":3,"type":"inches"}}}
      {"op":"upsert","type":"Hat","on":["size"],"set":{"size":3}}
      {"op":"upsert","type":"Hat","on":["size"],"set":{"size":3,"z":1}}
      {"op":"read","refs":["hat-1"],"keys":["size"],"withTypes":true}
      """
    let run = try await Program.shell("printf '%s' '\(operations)' | \"$varve\" batch '\(store)'")
    #expect(run.lines.count == 4 && run.lines[1].contains("unchanged"), "\(run)")
    #expect(run.lines[3].contains("inches"), "\(run)")
  }

  @Test func `set writes nothing unless the entity has the expected values`() async throws {
    let store = try await scratch.hats()
    let expecting = ["--expecting", "size:=12", "--expecting", "sold:=null"]
    let run = try await Program.varve(["set", store, "hat-1", "size:=14"] + expecting)
    #expect(run.output.hasPrefix("changed hat-1"))
    let again = try await Program.varve(["set", store, "hat-1", "size:=15"] + expecting)
    #expect(again.status == 1 && again.errors.contains("changedMeanwhile"))
    let size = try await Program.varve("get", store, "hat-1", "size")
    #expect(size.output == "14\n")
  }
}
#endif
