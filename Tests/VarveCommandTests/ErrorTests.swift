#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct ErrorTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `a missing store is an error with a remedy, and is not created`() async throws {
    let path = scratch.path("none.varve")
    let run = try await Program.varve("get", path, "hat-1")
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("varve: error: notFound: "))
    #expect(run.errors.contains("(at "))
    #expect(run.lines.count <= 1)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a file that is not a store is reported as such`() async throws {
    let path = scratch.path("letter.txt")
    try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: path))
    let run = try await Program.varve("list", path, "--json")
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    #expect(try run.document["error"]["code"] == "notAStore")
  }

  @Test func `with --json an error is one document with code, message, place and remedy`()
    async throws
  {
    let store = try await scratch.hats()
    let run = try await Program.varve("get", store, "hat-9", "--json")
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    let document = try run.document
    #expect(try document["ok"] == false)
    #expect(try document["error"]["code"] == "notFound")
    for member in ["message", "at", "remedy"] {
      #expect(try document["error"][member] != .null)
    }
  }

  @Test func `an identifier that is too long is refused by the store`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("get", store, String(repeating: "x", count: 1_025))
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("varve: error: invalidIdentifier: "))
  }

  @Test func `a bare array is not a value, and nothing is written`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.varve("set", store, "hat-1", "size:=[1]", "color=blue", "--json")
    #expect(run.status == 1)
    #expect(try run.document["error"]["code"] == "unsupportedValue")
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "red\n")
  }

  @Test func `a reader that leaves ends the command quietly`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell(
      "set -o pipefail; for i in {1..3}; do \"$varve\" history '\(store)' hat-1 | true; done"
    )
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
  }
}
#endif
