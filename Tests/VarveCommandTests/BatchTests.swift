#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct BatchTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `an invalid line is answered with its place and does not end the stream`()
    async throws
  {
    let lines: [Data] = [
      Data(#"{"op":"create","type":"Hat","id":"a","set":{"x":1}}"#.utf8),
      Data("{\"op\":\"create\",\"type\":\"Hat\",\"id\":\"".utf8) + Data([0xFF]) + Data("\"}".utf8),
      Data(String(repeating: "[", count: 10_000).utf8),
      Data(#"{"op":"create","type":5}"#.utf8), Data(), Data(#"{"op":"create","color":1}"#.utf8),
      Data(repeating: 0x78, count: 3 << 20), Data(#"{"op":"all"}"#.utf8),
    ]
    let run = try await batch(lines, "--line-limit", "2")
    let answers = try run.lines.map { try JSONDecoder().decode(Document.self, from: Data($0.utf8)) }
    #expect(answers.count == 7)
    #expect(answers[0] == ["ok": true, "result": "a"])
    let codes = try answers[1...5].map { try $0["error"]["code"] }
    let wanted: [Document] = [
      "invalidJSON", "invalidJSON", "invalidOperation", "invalidOperation", "invalidJSON",
    ]
    #expect(codes == wanted)
    let places = try answers[1...5].map { try $0["error"]["at"] }
    #expect(places[0] == "line 2, column 35 (byte 34)")
    #expect(places[1] == "line 3, column 1281 (byte 1280)")
    #expect(places[2] == "line 4, column 23, type")
    #expect(places[4] == "line 7, column 1")
    #expect(try answers[6]["result"] == ["a"])
    #expect(run.status == 0)
  }

  @Test func `a line of 100 MB is an operation like any other`() async throws {
    let text = Data("{\"op\":\"create\",\"type\":\"Hat\",\"id\":\"a\",\"set\":{\"x\":\"".utf8)
    let line = text + Data(repeating: 0x78, count: 100 << 20) + Data("\"},\"y\":1}".utf8)
    let run = try await batch([line, Data(#"{"op":"all"}"#.utf8)])
    #expect(run.lines.first?.contains("has no field \\\"y\\\"") == true)
    #expect(run.lines.last == #"{"ok":true,"result":[]}"#)
  }

  @Test func `an operation that changes nothing loses nothing another process wrote before it`()
    async throws
  {
    let store = scratch.path("s.varve")
    let run = try await Program.shell(
      #"""
      coproc "$varve" batch '\#(store)' --create
      ask() { printf '%s\n' "$1" >&"${COPROC[1]}"; read -r answer <&"${COPROC[0]}"; }
      ask '{"op":"create","type":"A","id":"a","set":{"k":1}}'
      ask '{"op":"create","type":"A","id":"z","set":{"k":1}}'
      ask '{"op":"erase","ids":["z"]}'
      "$varve" set '\#(store)' a k:=50 > '\#(scratch.path("said"))'
      ask '{"op":"erase","ids":["absent"]}'
      ask '{"op":"purge","ids":["z"]}'
      ask '{"op":"history","id":"a","key":"k"}'
      printf '%s\n' "$answer"
      """#
    )
    let answer = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
    #expect(try answer["result"][0]["value"] == 50)
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test(.timeLimit(.minutes(5)))
  func `Python drives 100,000 operations through a pipe and gets 100,000 answers`() async throws {
    let script = scratch.path("drive.py")
    try Data(Self.driver.utf8).write(to: URL(fileURLWithPath: script))
    let run = try await Program.shell("python3 '\(script)' \"$varve\" '\(scratch.path("p.varve"))'")
    #expect(run.errors == "")
    #expect(run.output == "100000 answers, 10000 errors\n")
  }

  private func batch(_ lines: [Data], _ options: String...) async throws -> Program.Run {
    let file = scratch.path("operations.jsonl")
    try Data(lines.joined(separator: [0x0A])).write(to: URL(fileURLWithPath: file))
    return try await Program.varve(
      ["batch", scratch.path("b.varve"), file, "--create"] + options
    )
  }

  /// Sends operations, and waits for a result now and then, as a program would.
  private static let driver = """
    import json, subprocess, sys, threading
    batch = subprocess.Popen([sys.argv[1], "batch", sys.argv[2], "--create"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def ask(operation):
        batch.stdin.write((json.dumps(operation) + "\\n").encode())
    ask({"op": "create", "type": "Hat", "id": "first"})
    batch.stdin.flush()
    assert json.loads(batch.stdout.readline()) == {"ok": True, "result": "first"}
    def feed():
        for i in range(1, 100000):
            k, hat = i % 10, "hat-%d" % (i // 10)
            if k == 0: ask({"op": "create", "type": "Hat", "id": hat, "set": {"size": i}})
            elif k == 1: ask({"op": "update", "id": hat if i > 10 else "first", "set": {"color": "blue"}})
            elif k == 2: ask({"op": "nonsense"})
            else: ask({"op": "read", "refs": [hat], "keys": ["size"]})
        batch.stdin.close()
    threading.Thread(target=feed).start()
    answers, errors = 1, 0
    for line in batch.stdout:
        answers += 1
        errors += not json.loads(line)["ok"]
    assert batch.wait() == 0
    print("%d answers, %d errors" % (answers, errors))
    """
}
#endif
