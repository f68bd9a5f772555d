#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct InterchangeTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ text: String, to name: String) throws -> String {
    let path = scratch.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `a store survives a round trip by its full document, with relations and history`()
    async throws
  {
    let store = try await scratch.hats()
    _ = try await Program.varve("set", store, "hat-1", "color=blue", "--author", "ana")
    let (document, copy) = (scratch.path("full.json"), scratch.path("copy.varve"))
    let written = try await Program.varve(
      "export",
      store,
      "--form",
      "full",
      "--output",
      document,
      "--json"
    )
    #expect(try written.result["records"] == 5)
    let loaded = try await Program.varve("load", copy, document, "--create", "--json")
    #expect(try loaded.result[0]["imported"] == 5)
    let again = try await Program.varve("load", copy, document)
    #expect(again.output == "\(document): 0 new commits\n")
    for command in [["history", "hat-1"], ["get", "shop-1"], ["get", "hat-2"]] {
      let ours = try await Program.varve([command[0], store, command[1], "--json"])
      let theirs = try await Program.varve([command[0], copy, command[1], "--json"])
      #expect(ours.output == theirs.output && ours.status == 0)
    }
  }

  @Test func `a pipe copies the present values from one store to another`() async throws {
    let store = try await scratch.hats()
    let copy = scratch.path("copy.varve")
    for form in ["compact", "normalized"] {
      let run = try await Program.shell(
        "set -o pipefail; $varve export \(store) --form \(form)"
          + " | $varve load \(copy) - --create --author sam --message nightly"
      )
      #expect(run.status == 0, "\(run.errors)")
    }
    let ours = try await Program.varve("list", store, "Hat")
    let theirs = try await Program.varve("list", copy, "Hat")
    #expect(ours.output == theirs.output)
    let log = try await Program.varve("log", copy, "--json")
    #expect(try log.result[0]["author"] == "sam")
  }

  @Test func `skipped parts are shown with their places and reasons`() async throws {
    let store = try await scratch.hats()
    let document = try write(
      "{\"entities\":[{\"identifier\":\"hat-1\",\"type\":\"Hat\",\"size\":13,\"tags\":[1]},\n7]}",
      to: "hats.json"
    )
    let run = try await Program.varve("load", store, document)
    #expect(run.lines[0].hasPrefix("\(document): 1 entity, 0 created, 1 changed (commit "))
    #expect(
      run.lines.dropFirst() == [
        "  skipped /entities/0/tags (line 1, column 66): a bare array is not a value; write "
          + "{\"array\": […]}",
        "  skipped /entities/1 (line 2, column 1): a record is an integer, not an object",
      ]
    )
    let again = try await Program.varve("load", store, document, "--json")
    #expect(try again.result[0]["changed"] == 0)
    #expect(try again.result[0]["skipped"][1]["path"] == "/entities/1")
  }

  @Test func `an invalid document fails with its name and the place`() async throws {
    let store = try await scratch.hats()
    let document = try write(
      "{\"entities\":[{\"identifier\":\"x\",\"type\":\"t\"},",
      to: "cut.json"
    )
    let run = try await Program.varve("load", store, document)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("varve: error: invalidJSON: "))
    #expect(run.errors.contains("(at \(document), line 1, column 44 (byte 43))"))
    #expect(try await Program.varve("get", store, "x").status == 1)
  }

  @Test func `values hold from --at, and a past state is exported`() async throws {
    let store = scratch.path("dated.varve")
    let document = try write(
      "{\"entities\":[{\"identifier\":\"x\",\"type\":\"t\",\"a\":1}]}",
      to: "a.json"
    )
    _ = try await Program.varve("load", store, document, "--create", "--at", "2020-01-01")
    _ = try await Program.varve("set", store, "x", "a:=2")
    let run = try await Program.varve("export", store, "--as-of", "2020-06-01")
    #expect(
      run.output == """
        {"entities":[
        {"identifier":"x","type":"t","datestamp":{"date":"2020-01-01T00:00:00Z"},"a":1}
        ]}

        """
    )
  }

  @Test func `a failing export leaves no file, and an existing one stays`()
    async throws
  {
    let store = try await scratch.hats()
    let missing = scratch.path("no-folder/out.json")
    let run = try await Program.varve("export", store, "--output", missing)
    #expect(run.status == 1 && run.errors.contains(missing))
    let usage = try await Program.varve("export", store, "--form", "full", "--as-of", "2020-01-01")
    #expect(usage.status == 64)
    #expect(try await Program.varve("export", store, "--json").status == 64)
  }
}
#endif
