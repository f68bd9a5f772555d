#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct KeepingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `two copies edited independently are equal after a merge both ways`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    let copied = try await Program.varve("merge", store, copy, "--create", "--json")
    #expect(try copied.result[0]["commits"] == 4)
    _ = try await Program.varve("set", store, "hat-1", "color=blue", "--author", "ana")
    _ = try await Program.varve("set", copy, "hat-1", "color=black", "--author", "ben")
    let merged = try await Program.varve("merge", store, copy, "--both", "--json")
    #expect(try merged.result.elements.map { try $0["commits"] } == [1, 1])
    let again = try await Program.varve("merge", store, copy, "--both", "--json")
    #expect(try again.result.elements.map { try $0["commits"] } == [0, 0])
    for command in [["list"], ["history"]] {
      let rest = command == ["list"] ? ["Hat", "--json"] : ["hat-1", "--json"]
      let ours = try await Program.varve(command + [store] + rest)
      let theirs = try await Program.varve(command + [copy] + rest)
      #expect(ours.output == theirs.output)
    }
    let history = try await Program.varve("history", store, "hat-1", "color", "--json")
    #expect(try Set(history.result.elements.map { try $0["author"] }) == ["", "ana", "ben"])
  }

  @Test func `merge prints the number of commits, and creates a store only if requested`()
    async throws
  {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    #expect(try await Program.varve("merge", store, copy).status == 1)
    #expect(!FileManager.default.fileExists(atPath: copy))
    let run = try await Program.varve("merge", store, copy, "--create")
    #expect(run.output == "\(store) → \(copy): 4 commits\n")
  }

  @Test func `check proves a sound store`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("check", store)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("clean: 4 commits, "))
    let document = try await Program.varve("check", store, "--json").result
    #expect(try document["clean"] == true)
    #expect(try document["entities"] == 3)
    #expect(try document["findings"] == [])
  }

  @Test func `backup copies a store with its history, and replaces no file`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    let run = try await Program.varve("backup", store, copy)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("clean: 4 commits, "))
    let ours = try await Program.varve("history", store, "hat-1", "--json")
    #expect(try await Program.varve("history", copy, "hat-1", "--json").output == ours.output)
    let again = try await Program.varve("backup", store, copy, "--json")
    #expect(again.status == 1)
    #expect(again.output.contains("invalidArgument"))
    #expect(try await Program.varve("check", copy).status == 0)
  }

  @Test func `index keeps indexes and searches, and ends them`() async throws {
    let store = try await scratch.hats()
    for arguments in [
      ["size"], ["color", "size"], ["color", "--search", "--tokenizer", "substrings"],
    ] {
      #expect(try await Program.varve(["index", store, "Hat"] + arguments).status == 0)
    }
    let found = try await Program.varve(
      "list",
      store,
      "Hat",
      "--matching",
      "lue",
      "--in",
      "color",
      "--json"
    )
    #expect(found.status == 0)
    let ended = ["color", "--search", "--drop"]
    #expect(try await Program.varve(["index", store, "Hat"] + ended).status == 0)
    let again = try await Program.varve(
      "list",
      store,
      "Hat",
      "--matching",
      "lue",
      "--in",
      "color",
      "--count"
    )
    #expect(again.status == 1 && again.output.isEmpty)
    let remedy = "varve index \(store) Hat color --search"
    #expect(again.errors.contains("unsupported"), "\(again.errors)")
    #expect(again.errors.contains(remedy), "\(again.errors)")
    let drop = ["index", store, "Hat", "color", "size", "--drop"]
    #expect(try await Program.varve(drop).output == "index of Hat: color, size dropped\n")
    #expect(try await Program.varve(drop).output == "index of Hat: color, size; there was none\n")
    let none = ["index", store, "Hat", "nope", "--search", "--drop", "--json"]
    #expect(try await Program.varve(none).result["dropped"] == false)
    #expect(try await Program.varve("check", store).status == 0)
    let wrong = try await Program.varve("index", store, "Hat", "a", "--tokenizer", "stems")
    #expect(wrong.status == 64)
  }

  @Test func `rebuild changes nothing that can be read`() async throws {
    let store = try await scratch.hats()
    let before = try await Program.varve("list", store, "Hat", "--json")
    let run = try await Program.varve("rebuild", store, "--json")
    #expect(run.status == 0)
    #expect(try run.result == ["rebuilt": true])
    #expect(try await Program.varve("list", store, "Hat", "--json").output == before.output)
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test func `check fails for a file that was tampered with`() async throws {
    let store = try await scratch.hats()
    _ = try await Program.varve("set", store, "hat-1", "color=vermilion")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    let wal = URL(fileURLWithPath: store + "-wal")
    #expect(((try? Data(contentsOf: wal)) ?? Data()).isEmpty)
    var found = 0
    while let range = bytes.range(of: Data("vermilion".utf8)) {
      bytes.replaceSubrange(range, with: Data("vermilium".utf8))
      found += 1
    }
    #expect(found > 0)
    try bytes.write(to: URL(fileURLWithPath: store))
    let run = try await Program.varve("check", store)
    #expect(run.status == 1)
    #expect(!(run.output + run.errors).isEmpty)
    #expect(!run.output.hasPrefix("clean"))
  }
}
#endif
