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
