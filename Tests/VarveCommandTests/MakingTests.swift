#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite("A command that creates a store")
struct MakingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path("")).sorted()
  }

  @Test func `leaves nothing if it fails before its first commit`() async throws {
    let bad = scratch.path("bad.json")
    try Data("{".utf8).write(to: URL(fileURLWithPath: bad))
    let new = scratch.path("new.varve")
    let commands = [
      ["load", new, bad, "--create"], ["load", new, scratch.path("none"), "--create"],
      ["merge", scratch.path("none.varve"), new, "--create"],
      ["sync", scratch.path("none.varve"), new, "--create"],
      ["batch", new, bad, "--create", "--strict"],
      ["import", new, bad, "--mapping", bad, "--create"],
    ]
    for command in commands {
      let run = try await Program.varve(command)
      #expect(run.status == 1, "\(command)")
      #expect(try files() == ["bad.json"], "\(command)")
    }
  }

  @Test func `leaves nothing if one of several documents cannot be loaded, whichever it is`()
    async throws
  {
    let (good, bad) = (scratch.path("good.json"), scratch.path("bad.json"))
    let text = #"{"entities": [{"identifier": "a", "type": "T"}]}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: good))
    try Data(text.dropLast().utf8).write(to: URL(fileURLWithPath: bad))
    let new = scratch.path("new.varve")
    for documents in [[good, bad], [bad, good], [good, scratch.path("none")]] {
      let run = try await Program.varve(["load", new] + documents + ["--create"])
      #expect(run.status == 1)
      #expect(try files() == ["bad.json", "good.json"])
    }
    #expect(try await Program.varve("load", new, good, "--create").status == 0)
    #expect(try await Program.varve("load", new, bad, "--create").status == 1)
    #expect(try files().contains("new.varve"), "it was there before")
  }

  @Test(arguments: ["", "sleep 0.2"]
  )
  func `an interruption before the first commit leaves nothing, not even a file`(waiting: String)
    async throws
  {
    let mapping =
      #"{"roots": [{"pointer": "", "mapping": "B"}], "mappings": {"B": {"id": "n", "#
      + #""attributes": {"n": "n"}}}}"#
    try Data(mapping.utf8).write(to: URL(fileURLWithPath: scratch.path("map.json")))
    let commands = [
      "batch new.varve --create", "load new.varve - --create",
      "import new.varve - --mapping map.json --create",
    ]
    for command in commands {
      for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let run = try await interrupt(command, with: signal, after: "", waiting: waiting)
        #expect(run.lines == ["status \(status)", "map.json"], "\(command): \(run)")
      }
    }
  }

  @Test func `a command that creates a store keeps committed data if it is interrupted later`()
    async throws
  {
    let line = #"{"op":"create","type":"Hat","id":"hat-1"}"#
    let run = try await interrupt(
      "batch new.varve --create",
      with: "INT",
      after: line,
      waiting: "while ! grep -qs ok answers; do sleep 0.02; done"
    )
    #expect(run.lines.first == "status 130", "\(run)")
    let check = try await Program.varve("check", scratch.path("new.varve"))
    #expect(check.output == "clean: 1 commit, 1 block and 1 entity verified\n", "\(check)")
  }

  /// Starts a command that reads a pipe, interrupts it once the store is there, and lists what it
  /// left.
  private func interrupt(
    _ command: String,
    with signal: String,
    after line: String,
    waiting: String
  ) async throws -> Program.Run {
    try await Program.shell(
      """
      set -m; cd '\(scratch.path(""))'; mkfifo ../$$.pipe
      "$varve" \(command) < ../$$.pipe > answers 2> errors & child=$!
      exec 9> ../$$.pipe
      echo '\(line)' >&9
      for n in $(seq 1200); do [ -e new.varve ] && break; sleep 0.02; done
      \(waiting)
      kill -\(signal) $child; wait $child 2> /dev/null; echo "status $?"
      exec 9>&-; rm -f ../$$.pipe answers errors; ls
      """
    )
  }

  @Test func `set removes a semantic type if the type of the kind is named`() async throws {
    let store = try await scratch.hats()
    let typed = #"color:={"value":"red","type":"paint"}"#
    let plain = #"color:={"value":"red","type":"string"}"#
    for (assignment, outcome) in [
      (typed, "changed"), ("color=red", "unchanged"), (plain, "changed"), (plain, "unchanged"),
    ] as [(String, Document)] {
      let run = try await Program.varve("set", store, "hat-1", assignment, "--json")
      #expect(try run.result["outcome"] == outcome, "\(assignment)")
    }
  }

  @Test func `a command that creates a store reports a full disk if files cannot grow`()
    async throws
  {
    let lines = (0..<200).map {
      #"{"op":"create","type":"Hat","set":{"n":\#($0),"text":"\#(String(repeating: "x\($0)", count: 9_000))"}}"#
    }
    try Data(lines.joined(separator: "\n").utf8).write(
      to: URL(fileURLWithPath: scratch.path("lines"))
    )
    let run = try await Program.shell(
      """
      cd '\(scratch.path(""))'; "$varve" init s.varve > /dev/null
      ulimit -f 600; "$varve" batch s.varve lines | grep -v '"ok":true' | head -1
      """
    )
    #expect(run.output.contains("diskFull"), "\(run)")
  }
}
#endif
