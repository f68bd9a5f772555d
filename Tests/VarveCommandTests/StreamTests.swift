#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Closed pipes, full disks, closed descriptors, and ^C.
@Suite struct StreamTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `a reader that leaves after a line ends long output quietly`() async throws {
    let store = try await many(3_000)
    for command in ["list '\(store)' Hat", "list '\(store)' --all --json", "log '\(store)' --csv"] {
      let run = try await Program.shell("set -o pipefail; \"$varve\" \(command) | head -c 1")
      #expect(run.status == 0)
      #expect(run.errors.isEmpty)
    }
    // A library in this process ignores SIGPIPE, and so do its children: only what `varve` says
    // counts.
    let batch = try await Program.shell(
      """
      (yes '{"op":"all"}' | head -500) 2>/dev/null | "$varve" batch '\(store)' \
        | (head -1 | head -c 5) 2>/dev/null
      """
    )
    #expect(batch.output == #"{"ok""#)
    #expect(batch.errors.isEmpty)
  }

  @Test func `a full disk under the output is an error`() async throws {
    let store = try await scratch.hats()
    let list = try await Program.shell("\"$varve\" list '\(store)' > /dev/full")
    #expect(list.status == 1)
    #expect(list.errors.hasPrefix("varve: error: diskFull: the output cannot be written"))
    let batch = try await Program.shell(
      "echo '{\"op\":\"types\"}' | \"$varve\" batch '\(store)' > /dev/full"
    )
    #expect(batch.status == 1)
  }

  @Test func `closed standard streams are not mistaken for the store`() async throws {
    let store = try await scratch.hats()
    let line = """
      "$varve" list '\(store)' Hat >&-; echo $?
      "$varve" get '\(store)' none 2>&-; echo $?
      "$varve" batch '\(store)' <&-; echo $?
      "$varve" set '\(store)' hat-1 color=pink <&- >&- 2>&-; echo $?
      """
    let run = try await Program.shell(line)
    #expect(run.lines == ["1", "1", "1", "1"])
    #expect(run.errors.contains("varve: error: inputOutput: the operations cannot be read"))
    #expect(try await Program.varve("check", store).status == 0)
    #expect(try await Program.varve("get", store, "hat-1", "color").output == "pink\n")
  }

  @Test func `the error for an unreadable document states the reason`() async throws {
    let store = try await scratch.hats()
    let closed = try await Program.shell("\"$varve\" load '\(store)' - <&-")
    #expect(closed.status == 1)
    #expect(closed.errors.hasPrefix("varve: error: inputOutput: the document cannot be read: "))
    let folder = try await Program.varve("load", store, scratch.path(""))
    #expect(folder.errors.contains("inputOutput: the document cannot be read: Is a directory"))
  }

  @Test func `an interrupted batch leaves complete commits, and everything it confirmed`()
    async throws
  {
    let store = scratch.path("interrupted.varve")
    let script = scratch.path("interrupt.py")
    try Data(Self.interrupter.utf8).write(to: URL(fileURLWithPath: script))
    let run = try await Program.shell("python3 '\(script)' \"$varve\" '\(store)'")
    #expect(run.errors == "")
    let answered = try #require(Int(run.lines.last ?? ""))
    #expect(answered > 0)
    #expect(try await Program.varve("check", store).status == 0)
    let pairs = try await Program.varve("list", store, "Pair", "--count")
    let count = try #require(Int(pairs.lines[0]))
    #expect(count.isMultiple(of: 2))
    #expect(count >= 2 * answered)
  }

  /// A store with the given number of hats.
  private func many(_ count: Int) async throws -> String {
    let store = scratch.path("many.varve")
    let operations = (0..<count).map {
      #"{"op":"create","type":"Hat","id":"hat-\#($0)","set":{"note":"\#(String(repeating: "x", count: 60))"}}"#
    }.joined(separator: ",")
    let file = scratch.path("many.jsonl")
    try Data(#"{"op":"transaction","operations":[\#(operations)]}"#.utf8)
      .write(to: URL(fileURLWithPath: file))
    let run = try await Program.varve("batch", store, file, "--create", "--strict")
    guard run.status == 0 else { throw Scratch.Unexpected(run: run) }
    return store
  }

  /// Sends pairs without a pause, and ^C after the first results; prints the number of results.
  private static let interrupter = """
    import json, os, signal, subprocess, sys, threading, time
    answers = open(sys.argv[2] + ".answers", "wb")
    batch = subprocess.Popen([sys.argv[1], "batch", sys.argv[2], "--create"],
                             stdin=subprocess.PIPE, stdout=answers)
    def interrupt():
        while os.path.getsize(sys.argv[2] + ".answers") == 0: time.sleep(0.01)
        batch.send_signal(signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    number = 0
    try:
        while batch.poll() is None:
            number += 1
            pair = [{"op": "create", "type": "Pair", "id": "%s%d" % (side, number)} for side in "lr"]
            batch.stdin.write((json.dumps({"op": "transaction", "operations": pair}) + "\\n").encode())
            if number % 10 == 0: batch.stdin.flush()
    except BrokenPipeError:
        pass
    assert batch.wait() == -signal.SIGINT
    lines = open(sys.argv[2] + ".answers").read().split("\\n")[:-1]
    assert all(json.loads(line)["ok"] for line in lines)
    print(len(lines))
    """
}
#endif
