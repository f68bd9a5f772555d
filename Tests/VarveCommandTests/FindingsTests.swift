#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite struct FindingsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `conflicts lists concurrent values of two copies until they are settled`()
    async throws
  {
    let store = try await scratch.hats()
    let none = try await Program.varve("conflicts", store)
    #expect(none.output == "no conflicts\n")
    #expect(try await Program.varve("conflicts", store, "--json").result == [])
    #expect(
      try await Program.varve("conflicts", store, "--csv").csv
        == [
          [
            "conflict", "id", "time", "change", "key", "kind", "type", "value", "author", "message",
            "commit",
          ]
        ]
    )
    let apart = try await writeApart(store)
    let run = try await Program.varve("conflicts", store)
    #expect(run.lines.count == 4)
    #expect(run.lines[2].hasPrefix("hat-1  color  black  ben     "))
    #expect(run.lines[3].hasPrefix("hat-1  color  blue   ana     "))
    let csv = try await Program.varve("conflicts", store, "--csv").csv
    #expect(
      csv.map { Array($0[3...7]) }.dropFirst() == [
        ["set", "color", "string", "string", "black"],
        ["set", "color", "string", "string", "blue"],
      ]
    )
    #expect(csv.dropFirst().allSatisfy { $0[0] == "value" && !$0[2].isEmpty })
    let json = try await Program.varve("conflicts", store, "--json").result
    #expect(try json[0]["id"] == "hat-1")
    #expect(try json[0]["versions"].elements.map { try $0["value"] } == ["black", "blue"])
    _ = try await Program.varve("set", store, "hat-1", "color=green")
    #expect(try await Program.varve("conflicts", store, "--json").result == [])
    let then = try await Program.varve("conflicts", store, "--as-of", apart, "--json").result
    #expect(then == json)
  }

  @Test func `issues lists duplicates and cycles until they are resolved`() async throws {
    let store = try await scratch.hats()
    #expect(try await Program.varve("issues", store).output == "no issues\n")
    #expect(try await Program.varve("issues", store, "--csv").csv.count == 1)
    #expect(try await Program.varve("issues", scratch.path("none")).status == 1)
    for argument in ["Hat", ".color", "Hat.", ""] {
      #expect(try await Program.varve("issues", store, "--unique", argument).status == 64)
    }
    _ = try await Program.varve("set", store, "hat-2", "color=red")
    _ = try await Program.varve("relate", store, "hat-1", "owns", "shop-1")
    let found = try await Program.varve("issues", store, "--unique", "Hat.color", "--json").result
    #expect(
      found == [
        [
          "kind": "duplicate", "type": "Hat", "keys": ["color"], "values": ["red"],
          "ids": ["hat-1", "hat-2"],
        ],
        ["kind": "ownerlessCycle", "ids": ["hat-1", "shop-1"]],
      ]
    )
    let csv = try await Program.varve("issues", store, "--unique", "Hat.color", "--csv").csv
    #expect(csv.map { $0[0] } == ["issue", "duplicate", "ownerless cycle"])
    let merged = try await Program.varve("resolve", store, "hat-1", "--merge", "hat-2", "--json")
    #expect(try merged.result["merge"]["properties"] == ["sold"])
    let root = try await Program.varve("resolve", store, "shop-1", "--root", "--json").result
    #expect(try root["ownerships"] == 1)
    #expect(
      try await Program.varve("issues", store, "--unique", "Hat.color").output == "no issues\n"
    )
  }

  @Test func `resolve settles a conflict, and prints its usage`() async throws {
    let store = try await scratch.hats()
    #expect(try await Program.varve("resolve", store, "hat-1").status == 64)
    #expect(try await Program.varve("resolve", store, "hat-1", "--take", "1").status == 64)
    #expect(try await Program.varve("resolve", store, "hat-1", "size", "--root").status == 64)
    #expect(try await Program.varve("resolve", store, "hat-1", "color", "--take", "1").status == 1)
    _ = try await writeApart(store)
    #expect(try await Program.varve("resolve", store, "hat-1", "color", "--take", "9").status == 1)
    #expect(try await Program.varve("resolve", store, "hat-1", "color", "--take", "0").status == 1)
    #expect(try await Program.varve("resolve", store, "hat-1", "color", "--take", "2").status == 0)
    #expect(try await Program.varve("conflicts", store).output == "no conflicts\n")
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "blue\n")

    let copy = scratch.path("copy.varve")
    _ = try await Program.varve("merge", store, copy, "--both")
    _ = try await Program.varve("erase", store, "hat-2")
    _ = try await Program.varve("set", copy, "hat-2", "color=black")
    _ = try await Program.varve("merge", store, copy, "--both")
    #expect(try await Program.varve("resolve", store, "hat-2", "--keep-death").status == 0)
    #expect(try await Program.varve("conflicts", store).output == "no conflicts\n")
    #expect(try await Program.varve("resolve", copy, "hat-2", "--restore").status == 0)
    _ = try await Program.varve("merge", store, copy, "--both")
    #expect(try await Program.varve("get", store, "hat-2", "color").output == "black\n")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completions prints a script with all commands`(shell: String) async throws {
    let run = try await Program.varve("completions", shell)
    #expect(run.status == 0)
    for word in ["conflicts", "as-of", "batch"] { #expect(run.output.contains(word)) }
    // The words are separated differently in the scripts of each shell.
    let separator = /(?:\\n|['$\s])+/
    let words = run.output.replacing(separator, with: " ")
    for values in ["owns ownedBy free", "compact normalized full", "bash zsh fish"] {
      #expect(words.contains(values), "\(values)")
    }
    guard shell == "bash" else { return }
    let check = try await Program.shell("\"$varve\" completions bash | bash -n")
    #expect(check.status == 0)
    #expect(check.errors.isEmpty)
  }

  @Test func `completions for an unknown shell is a usage error`() async throws {
    #expect(try await Program.varve("completions", "tcsh").status == 64)
  }

  /// Two copies set one color each and are merged; the state then.
  private func writeApart(_ store: String) async throws -> String {
    let copy = scratch.path("copy.varve")
    _ = try await Program.varve("merge", store, copy, "--create")
    _ = try await Program.varve("set", store, "hat-1", "color=blue", "--author", "ana")
    _ = try await Program.varve("set", copy, "hat-1", "color=black", "--author", "ben")
    _ = try await Program.varve("merge", store, copy, "--both")
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
