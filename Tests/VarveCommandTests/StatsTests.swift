#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct StatsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `stats counts entities, versions and bytes by table`() async throws {
    let store = try await scratch.hats()
    for color in ["blue", "green"] {
      _ = try await Program.varve("set", store, "hat-1", "color=\(color)")
    }
    _ = try await Program.varve("remove", store, "hat-2", "sold")
    let stats = try await Program.varve("stats", store, "--json").result
    #expect(try stats["types"] == [["type": "Hat", "count": 2], ["type": "Shop", "count": 1]])
    #expect(try stats["entities"] == 3)
    #expect(try stats["commits"] == 7)
    #expect(try stats["values"] == 8)
    #expect(try stats["removals"] == 1)
    #expect(try stats["versions"] == 9)
    let bytes = try stats["bytes"]
    let tables = try bytes["tables"].elements
    let names = try tables.map { try $0["table"] }
    for name in ["Hat", "Shop", "varve_commit", "varve_touch"] {
      #expect(names.contains(.string(name)))
    }
    let sum = try tables.reduce(0) { try $0 + $1["bytes"].number }
    #expect(try bytes["log"].number + bytes["derived"].number == sum)
    if try bytes["measure"] == "pages" { #expect(try bytes["file"].number == sum) }
  }

  @Test func `stats prints a few lines`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("stats", store)
    #expect(run.lines.first == "3 entities, 6 versions, 4 commits, 4 operations")
    #expect(run.output.contains("type  entities\n────  ────────\nHat          2\nShop         1\n"))
    #expect(run.lines.contains { $0.hasPrefix("file ") && $0.hasSuffix(" bytes") })
    #expect(run.lines.contains { $0.hasPrefix("varve_commit ") && $0.hasSuffix("  log") })
  }

  @Test func `stats as comma-separated values has every number on a line of its own`()
    async throws
  {
    let store = try await scratch.hats()
    let lines = try await Program.varve("stats", store, "--csv").csv
    #expect(lines.first == ["what", "name", "number"])
    #expect(lines.contains(["entities", "Hat", "2"]))
    #expect(lines.contains(["values", "", "6"]))
    #expect(lines.contains { $0[0] == "bytes of log table" && $0[1] == "varve_commit" })
  }

  @Test func `stats of a past state has counts, and no bytes`() async throws {
    let store = try await scratch.hats()
    let shop = try await Program.varve("log", store, "--json").result[3]["hash"].text
    let stats = try await Program.varve("stats", store, "--as-of", shop, "--json").result
    #expect(try stats["types"] == [["type": "Shop", "count": 1]])
    #expect(try stats["commits"] == 1)
    #expect(try stats["versions"] == 1)
    #expect(try stats["bytes"] == .null)
    let table = try await Program.varve("stats", store, "--as-of", "2001-01-01")
    #expect(table.output == "0 entities, 0 versions, 0 commits, 0 operations\n")
  }
}
#endif
