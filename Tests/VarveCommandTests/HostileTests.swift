#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct HostileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let names: [String] = [
    "it's '; DROP TABLE Hat;--", "\"quoted\" a\\b", "new\nline\r\n,b\t;",
    "\u{1B}[31mred\u{202E}fdp",
    " ", "%s%n../..", "{\"a\":1}", "👩‍👩‍👧‍👦e\u{301}\u{E9}", "=a=", "\u{301}=\"\u{301}", "rowid",
    "varve_commit",
  ]

  @Test(arguments: names)
  func `any text is a legal name in every position, and harmless`(name: String) async throws {
    let store = scratch.path("hostile.varve")
    _ = try await Program.varve("init", store)
    let created = try await Program.varve(
      "create",
      store,
      name,
      "--id",
      name,
      "\(try name.quoted)=\(name)",
      "--author",
      name,
      "--message",
      name,
      "--json"
    )
    #expect(try created.result["id"] == .string(name))
    _ = try await Program.varve("create", store, "Other", "--id", "other")
    let related = try await Program.varve("relate", store, name, "free", "other", "--named", name)
    #expect(related.status == 0)
    let got = try await Program.varve("get", store, name, "--json").result
    #expect(try got["type"] == .string(name))
    #expect(try got["properties"] == .object([name: .string(name)]))
    #expect(try got["relations"]["free"] == ["other"])
    let log = try await Program.varve("log", store, "--limit", "1", "--offset", "2", "--json")
    #expect(try log.result[0]["author"] == .string(name))
    let csv = try await Program.varve("list", store, name, "--csv").csv
    #expect(csv == [["id", name], [name, name]])
    for shown in [["list", store, name], ["get", store, name], ["history", store, name]] {
      let run = try await Program.varve(shown)
      #expect(run.status == 0)
      #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{202E}"))
    }
    let missing = try await Program.varve("get", store, "no \(name)")
    #expect(missing.status == 1)
    #expect(!missing.errors.contains("\u{1B}"))
    #expect(missing.errors.split(separator: "\n").count == 1)
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test func `control characters reach a pipe and no terminal`() async throws {
    let store = scratch.path("raw.varve")
    let raw = "\u{1B}]0;x\u{7}\u{9B}31m"
    _ = try await Program.varve("init", store)
    let made = try await Program.varve(
      "create",
      store,
      raw,
      "--id",
      "e",
      "\(try raw.quoted)=\(raw)\n2"
    )
    #expect(made.status == 0, "\(made.errors)")
    #expect(try await Program.varve("get", store, "e", raw).output == raw + "\n2\n")
    let script = scratch.path("terminal.py")
    try Data(Self.terminal.utf8).write(to: URL(fileURLWithPath: script))
    try Data("get e '\(raw)'\n.schema '\(raw)'\n.at \u{1B}[31m\n\u{1B}[31m\n".utf8)
      .write(to: URL(fileURLWithPath: scratch.path("lines")))
    for command in [
      ["get", store, "e", raw], ["get", store, "e", "--json"], ["schema", store, raw],
      ["schema", store],
      ["list", store, raw, "--csv"], ["list", store, raw, "--where", "\u{1B}=1"],
      ["get", store, "e", "--as-of", "\u{1B}[31m"], ["shell", store],
    ] {
      let words = command.map { "'\($0)'" }.joined(separator: " ")
      let run = try await Program.shell(
        "python3 '\(script)' '\(scratch.path("lines"))' \"$varve\" \(words)"
      )
      #expect(run.errors == "" && !run.output.isEmpty, "\(run.errors)")
      for control in ["\u{1B}", "\u{9B}", "\u{7}"] {
        #expect(!run.output.contains(control), "\(command): \(run.output.debugDescription)")
      }
    }
  }

  /// Runs a program whose output and errors are a terminal, without the colours that it uses itself.
  private static let terminal = #"""
    import os, pty, subprocess, sys
    lines, *command = sys.argv[1:]
    terminal, theirs = pty.openpty()
    environment = dict(os.environ, NO_COLOR="1", PAGER="cat", TERM="dumb")
    program = subprocess.Popen(command, stdin=open(lines), stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    written = b""
    while True:
        try: part = os.read(terminal, 65536)
        except OSError: break
        if not part: break
        written += part
    program.wait()
    sys.stdout.buffer.write(written)
    """#

  @Test func `names of 10 kB are kept, and longer identifiers refused`() async throws {
    let store = try await scratch.hats()
    let long = String(repeating: "k", count: 10_000)
    let run = try await Program.varve(
      "create",
      store,
      long,
      "--id=a",
      "\(long)=\(long)",
      "--author=\(long)",
      "--message=\(long)"
    )
    #expect(run.output == "a\n")
    #expect(try await Program.varve("get", store, "a", long).output == long + "\n")
    let refused = try await Program.varve("create", store, "Hat", "--id=\(long)", "--json")
    #expect(try refused.document["error"]["code"] == "invalidIdentifier")
  }

  @Test func `a NUL is a character like any other, but not in a file's name`() async throws {
    let store = try await scratch.hats()
    let operations = scratch.path("operations.jsonl")
    let lines = #"""
      {"op":"create","type":"T\u0000","id":"a\u0000b","set":{"k\u0000":"v\u0000w"}}
      {"op":"read","refs":["a\u0000b","a"],"keys":"all"}
      {"op":"merge","from":"PATH\u0000x"}
      {"op":"merge","from":""}
      """#
    try Data(lines.replacing("PATH", with: store).utf8)
      .write(to: URL(fileURLWithPath: operations))
    let answers = try await Program.varve("batch", store, operations).lines
    #expect(answers[0] == #"{"ok":true,"result":"a\u0000b"}"#)
    #expect(answers[1] == #"{"ok":true,"result":[{"k\u0000":"v\u0000w"},null]}"#)
    for answer in answers[2...] { #expect(answer.contains("\"code\":\"invalidArgument\"")) }
    #expect(try await Program.varve("check", store).status == 0)
  }

  @Test func `an argument that is not UTF-8 is refused, not read as another`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell("\"$varve\" create '\(store)' Hat --id $'\\xff'")
    #expect(run.status == 64)
    #expect(run.errors.contains("Argument 5 is not UTF-8"))
    #expect(try await Program.varve("list", store, "Hat", "--count").output == "2\n")
  }

  @Test func `a file that is not a store is recognised without waiting`() async throws {
    let store = try await scratch.hats()
    let link = scratch.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    #expect(try await Program.varve("list", link, "Hat", "--count").output == "2\n")
    let fifo = scratch.path("fifo")
    _ = try await Program.shell("mkfifo '\(fifo)'")
    let codes = [(fifo, "notAStore"), ("/dev/null", "notAStore"), ("", "invalidArgument")]
    for (path, code) in codes + [(scratch.path(""), "notAStore")] {
      let run = try await Program.varve("list", path, "--json")
      #expect(run.status == 1)
      #expect(try run.document["error"]["code"] == .string(code))
    }
    let folder = try await Program.varve("batch", store, scratch.path(""))
    #expect(folder.status == 1)
    #expect(folder.errors.hasPrefix("varve: error: inputOutput: the operations cannot be read"))
  }
}

extension String {
  /// The text in quotes, as keys may be written.
  fileprivate var quoted: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
#endif
