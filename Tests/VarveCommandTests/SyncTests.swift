#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct SyncTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `two stores edited independently are equal after one sync`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    let first = try await Program.varve("sync", store, copy, "--create")
    #expect(first.output == "\(store) ↔ \(copy): 0 commits received, 4 sent\n")
    _ = try await Program.varve("set", store, "hat-1", "color=blue")
    _ = try await Program.varve("set", copy, "hat-1", "color=black")
    let run = try await Program.varve("sync", store, copy, "--json")
    #expect(try run.result["received"] == 1)
    #expect(try run.result["sent"] == 1)
    #expect(try run.result["complete"] == true)
    let ours = try await Program.varve("list", store, "Hat", "--json")
    #expect(try await Program.varve("list", copy, "Hat", "--json").output == ours.output)
  }

  @Test func `a store whose replica id was retired says so, and no other reason`() async throws {
    let store = try await scratch.hats()
    let (copy, other) = (scratch.path("copy.varve"), scratch.path("other.varve"))
    for path in [copy, other] { _ = try await Program.varve("sync", store, path, "--create") }
    _ = try await Program.varve("set", copy, "hat-1", "color=blue")
    _ = try await Program.varve("sync", copy, store)
    let replicas = try await Program.varve("replicas", copy, "--json").result.elements
    let own = try #require(try replicas.first { try $0["own"] == true })["replica"].text
    #expect(try await Program.varve("retire", store, own).status == 0)
    let there = try await Program.varve("merge", store, copy)
    #expect(
      there.output.contains("its replica id was retired; it continues under a new replica id")
    )
    #expect(!there.output.contains("copied as a file"))
    let next = try await Program.varve("replicas", copy, "--json").result.elements
    let fresh = try #require(try next.first { try $0["own"] == true })["replica"].text
    #expect(fresh != own && there.output.contains(fresh))
    _ = try await Program.varve("set", other, "hat-1", "color=black")
    _ = try await Program.varve("sync", other, store)
    let mine = try await Program.varve("replicas", other, "--json").result.elements
    let last = try #require(try mine.first { try $0["own"] == true })["replica"].text
    _ = try await Program.varve("retire", store, last)
    let run = try await Program.varve("sync", store, other, "--json")
    #expect(try run.result["wasRetiredThere"] == true && run.result["wasRetired"] == false)
  }

  @Test func `stores that never meet are equal through a folder`() async throws {
    let store = try await scratch.hats()
    let (other, folder) = (scratch.path("other.varve"), scratch.path("stick"))
    let out = try await Program.varve("sync", store, "--folder", folder)
    #expect(out.output == "\(store) ↔ \(folder): 0 commits received, 4 sent\n")
    let came = try await Program.varve("sync", other, "--folder", folder, "--create")
    #expect(came.output == "\(other) ↔ \(folder): 4 commits received, 0 sent\n")
    _ = try await Program.varve("set", other, "hat-1", "color=black")
    _ = try await Program.varve("sync", other, "--folder", folder)
    let back = try await Program.varve("sync", store, "--folder", folder, "--json")
    #expect(try back.result["received"] == 1)
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "black\n")
  }

  @Test func `an incomplete file is skipped, and its commits are added once it is complete`()
    async throws
  {
    let store = try await scratch.hats()
    let (other, folder) = (scratch.path("other.varve"), scratch.path("stick"))
    _ = try await Program.varve("sync", store, "--folder", folder)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).first
    )
    let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
    let whole = try Data(contentsOf: file)
    try whole.prefix(whole.count / 2).write(to: file)
    let half = try await Program.varve("sync", other, "--folder", folder, "--create")
    #expect(half.status == 0)
    #expect(half.lines.last?.hasPrefix("  1 file skipped: incomplete: ") == true)
    try whole.write(to: file)
    let run = try await Program.varve("sync", other, "--folder", folder)
    #expect(run.output == "\(other) ↔ \(folder): 4 commits received, 0 sent\n")
  }

  @Test func `sync needs another store or a folder, which must exist`() async throws {
    let store = try await scratch.hats()
    #expect(try await Program.varve("sync", store).status == 64)
    #expect(try await Program.varve("sync", store, store, "--folder", "x").status == 64)
    let missing = scratch.path("missing.varve")
    let run = try await Program.varve("sync", store, missing, "--json")
    #expect(run.status == 1)
    #expect(try run.document["error"]["code"] == "notFound")
    #expect(!FileManager.default.fileExists(atPath: missing))
    let file = try await Program.varve("sync", store, "--folder", store, "--json")
    #expect(try file.document["error"]["code"] == "inputOutput")
    let folder = scratch.path("")
    let unnamed = try await Program.varve("sync", store, folder)
    #expect(unnamed.status == 64 && unnamed.errors.contains("write --folder"))
  }

  @Test func `a retired replica is retired once`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    _ = try await Program.varve("sync", store, copy, "--create")
    _ = try await Program.varve("set", copy, "hat-1", "color=blue")
    _ = try await Program.varve("sync", copy, store)
    let replicas = try await Program.varve("replicas", copy, "--json").result.elements
    let own = try #require(try replicas.first { try $0["own"] == true })["replica"].text
    #expect(try await Program.varve("retire", store, own).output == "retired \(own)\n")
    #expect(try await Program.varve("retire", store, own).output == "\(own) is retired already\n")
    let again = try await Program.varve("retire", store, own, "--json").result
    #expect(try again["already"] == true)
  }
}
#endif
