#if CommandLine && Server && YAML
import Testing
import VarveTestSupport

@Suite("A commit that arrived with a part purged")
struct CompletedCommitTests {
  @Test func `has its values once another store completes it`() async throws {
    let scratch = try Scratch()
    let (ana, eve, bob) = (scratch.path("ana"), scratch.path("eve"), scratch.path("bob"))
    try await run("init", ana)
    try await run("set", ana, "doc-1", "--type", "Doc", "text=whole")
    try await run("merge", ana, eve, "--create")
    try await run("purge", eve, "doc-1")
    let document = scratch.path("stripped.json")
    try await run("export", eve, "--form", "full", "--output", document)
    try await keepCells(of: document)
    try await run("load", bob, document, "--create")
    #expect(try await Program.varve("get", bob, "doc-1", "text").status != 0)
    try await run("sync", bob, ana)
    #expect(try await Program.varve("get", bob, "doc-1", "text").output == "whole\n")
    #expect(try await Program.varve("check", bob).status == 0)
  }

  @Test func `loses what was no part of it once another store completes it`() async throws {
    let scratch = try Scratch()
    let (ana, bob) = (scratch.path("ana"), scratch.path("bob"))
    try await run("init", ana)
    try await run("set", ana, "doc-1", "--type", "Doc", "text=honest-1")
    try await run("set", ana, "doc-1", "text=honest-2")
    let document = scratch.path("forged.json")
    try await run("export", ana, "--form", "full", "--output", document)
    try await forge(document)
    let loaded = try await Program.varve("load", bob, document, "--create")
    #expect(loaded.output.contains("1 commit incomplete"), "\(loaded.output)")
    #expect(try await Program.varve("get", bob, "doc-1", "text").output == "FORGED-2\n")
    try await run("sync", bob, ana)
    #expect(try await Program.varve("get", bob, "doc-1", "text").output == "honest-2\n")
    let check = try await Program.varve("check", bob)
    #expect(check.status == 0, "\(check.output)")
  }

  /// Says of the second commit that a part of it was purged, and gives it another value.
  private func forge(_ path: String) async throws {
    let program = """
      import base64, json, sys
      document = json.load(open(sys.argv[1]))
      block = document["commits"][1]["blocks"][0]
      stored = base64.b64decode(block["stored"]).replace(b"honest-2", b"FORGED-2")
      block["salt"], block["stored"] = "", base64.b64encode(stored).decode()
      json.dump(document, open(sys.argv[1], "w"))
      """
    let result = try await Program.shell("python3 -c '\(program)' '\(path)'")
    #expect(result.status == 0, "\(result.errors)")
  }

  private func run(_ arguments: String...) async throws {
    let result = try await Program.varve(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Removes the commits that say what was purged. Python keeps the order of members.
  private func keepCells(of path: String) async throws {
    let program = """
      import json, sys
      document = json.load(open(sys.argv[1]))
      document["commits"] = [one for one in document["commits"] if one["kind"] == "cells"]
      json.dump(document, open(sys.argv[1], "w"))
      """
    let result = try await Program.shell("python3 -c '\(program)' '\(path)'")
    #expect(result.status == 0, "\(result.errors)")
  }
}
#endif
