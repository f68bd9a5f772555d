#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite("A shell session")
struct ShellTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func session(_ lines: String..., store: String = "hats.varve") async throws -> Program.Run
  {
    try Data((lines.joined(separator: "\n") + "\n").utf8)
      .write(to: URL(fileURLWithPath: scratch.path("lines")))
    return try await Program.shell(
      "cd '\(scratch.path(""))'; export XDG_STATE_HOME=\"$PWD\"; \"$varve\" shell \(store) < lines"
    )
  }

  private func makeStore() async throws {
    let lines = [
      "init hats.varve", "set hats.varve h1 --type Hat color=red size:=12 --at 2018-05-01",
      "set hats.varve h1 color=blue --at 2020-05-01",
      "create hats.varve 'straw hat' --id h2 'brim size:=5'",
    ]
    let script = lines.map { "\"$varve\" \($0)" }.joined(separator: " && ")
    let run = try await Program.shell("cd '\(scratch.path(""))'; \(script)")
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func `runs SQL and commands from a pipe, now and in the past`() async throws {
    try await makeStore()
    let run = try await session(
      "# a comment",
      "SELECT color,",
      "  size FROM Hat;",
      "get h1 color",
      ".at 2018",
      "get h1 color",
      "select color from Hat;",
      ".at",
      ".at 2018-12",
      ".at 2017",
      "list Hat --count",
      ".at now",
      "set h1 color='dark green' \"note=a \\\"b\\\" \\ c\"",
      "get h1 color note",
      ".quit",
      "get h1 color"
    )
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.lines
    #expect(lines.contains("blue") && lines.contains("red"))
    #expect(lines.contains("at 2018-12-31T23:59:59.999Z"))
    #expect(lines.filter { $0 == "2018-12-31T23:59:59.999Z" }.count == 1)
    #expect(
      run.output.contains("dark green") && run.output.contains(#"a "b" \ c"#),
      "\(run.output)"
    )
    #expect(run.errors.isEmpty, "\(run.errors)")
    // Nothing is kept of lines from a pipe.
    #expect(!FileManager.default.fileExists(atPath: scratch.path("varve/history")))
  }

  @Test func `goes on after a mistake, and fails in the end`() async throws {
    try await makeStore()
    let run = try await session(
      "hstory h1",
      ".att 2018",
      "get nobody",
      "SELECT * FROM Hut;",
      ".at 2999-99",
      ".at 0000abcd",
      "set h1",
      "get h1 'color",
      "",
      ".at 2018",
      "set h1 color=red",
      "get h1 color",
      "serve"
    )
    #expect(run.status == 1)
    #expect(run.lines == ["at 2018-12-31T23:59:59.999Z", "red"])
    let expected = [
      #"Perhaps it is "history"."#, "Perhaps it is .at.", "notFound", #"Perhaps it is "Hat"."#,
      "There is no state", "a quote is not closed", "set is for the present",
      #"There is no command "serve" in a session"#,
    ]
    for text in expected { #expect(run.errors.contains(text), "\(text): \(run.errors)") }
    let missing = try await session("list", store: "none.varve")
    #expect(missing.status == 1 && missing.errors.contains("notFound"))
    let unfinished = try await session("SELECT 1")
    #expect(unfinished.status == 1 && unfinished.errors.contains("no semicolon"))
  }

  @Test func `lets others write while it waits`() async throws {
    try await makeStore()
    let run = try await Program.shell(
      """
      cd '\(scratch.path(""))'
      {
        echo 'get h1 color'
        while ! grep -q blue out; do sleep 0.1; done
        "$varve" set hats.varve h1 color=white --json > other
        echo 'get h1 color'
      } | "$varve" shell hats.varve > out
      cat out
      """
    )
    #expect(run.lines == ["blue", "white"], "\(run.errors)")
  }

  /// Runs a command on a terminal, and types keys into it: each text once the output has the one
  /// before it and, unless that begins with a tilde, a prompt.
  private func terminal(
    _ command: String,
    _ typed: [(seen: String, keys: String)],
    environment: String = ""
  ) async throws -> Program.Run {
    let steps = try typed.map { step in
      String(decoding: try JSONEncoder().encode([step.seen, step.keys]), as: UTF8.self)
    }
    let script = """
      import fcntl, json, os, pty, select, struct, sys, termios, time
      steps = [json.loads(line) for line in r'''\(steps.joined(separator: "\n"))'''.splitlines()]
      child, fd = pty.fork()
      if child == 0:
          os.execvp("sh", ["sh", "-c", os.environ["COMMAND"]])
      fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
      seen, deadline = b"", time.time() + 30
      while time.time() < deadline:
          place = seen.find(steps[0][0].lstrip("~").encode()) if steps else -1
          # Keys count once the prompt is there.
          is_prompt = b"> " in seen[place:] and seen.endswith(b"C")
          if place >= 0 and (is_prompt or steps[0][0].startswith("~")):
              seen = b""
              os.write(fd, steps.pop(0)[1].encode())
          if not select.select([fd], [], [], 0.2)[0]:
              continue
          try:
              data = os.read(fd, 65536)
          except OSError:
              break
          if not data:
              break
          seen += data
          sys.stdout.buffer.write(data)
      if time.time() >= deadline:
          os.kill(child, 9)
      status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
      sys.exit(99 if steps else status)
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: scratch.path("terminal.py")))
    return try await Program.shell(
      """
      cd '\(scratch.path(""))'; unset NO_COLOR PAGER VARVE_PAGER; export XDG_STATE_HOME="$PWD" TERM=xterm \(environment)
      COMMAND='\(command)' python3 terminal.py
      """
    )
  }

  @Test func `edits lines, completes names and finds earlier lines on a terminal`() async throws {
    try await makeStore()
    let left = "\u{1B}[D"
    let run = try await terminal(
      #""$varve" shell hats.varve; stty -a | grep -o "[-]*icanon""#,
      [
        ("varve> ", "gt h1 color\(left)\(left)\u{01}\u{1B}[C" + "e\r"),
        ("blue", "schema st\t\r"), ("brim size", "junk\u{03}"), ("^C", "\u{1B}[A\u{1B}[A\r"),
        ("blue", "SELECT co\t FROM Hat;\r"), ("blue", "SELECT br\t FROM str\t WHERE id = 'h2\t;\r"),
        ("  5", ".at 2018\r"), ("2018-12-31T23", "get h1\r"),
        ("red", "\u{04}"),
      ],
      environment: "NO_COLOR=1"
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(run.output.contains("schema 'straw hat'"), "\(run.output)")
    let statement = #"SELECT "brim size"  FROM "straw hat"  WHERE id = 'h2' ;"#
    #expect(run.output.contains(statement), "\(run.output)")
    #expect(!run.output.contains("\u{1B}[1m"))
    // The terminal is as it was.
    let last = run.output.split(whereSeparator: \.isNewline).last
    #expect(last == "icanon", "\(run.output)")
    let history = try String(contentsOfFile: scratch.path("varve/history"), encoding: .utf8)
    #expect(history.hasPrefix("get h1 color\nschema 'straw hat' \nget h1 color\n"), "\(history)")
    let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("varve/history"))
    #expect(mode[.posixPermissions] as? Int == 0o600)
  }

  @Test func `gives up a statement and a command at ^C, and goes on`() async throws {
    try await makeStore()
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
    let run = try await terminal(
      // Without a shell between, which ^C would end too.
      #"exec "$varve" shell hats.varve"#,
      [
        ("varve> ", "SELECT 1,\r"), ("...> ", "\u{03}"), ("^C", "get h1 color\r"),
        ("blue", endless + "\r"), ("~read", "\u{03}"), ("Cancelled.", ".at 2018\r"),
        ("varve (2018)> ", "get h1 color\r"), ("red", "\u{04}"),
      ],
      environment: "NO_COLOR=1"
    )
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    #expect(!run.output.contains("Error"), "\(run.output)")
  }

  @Test func `a pager may read keys from the terminal`() async throws {
    try await makeStore()
    let rows = (0..<30).map { "\"$varve\" create hats.varve Hat --id n\($0) > made" }
    _ = try await Program.shell("cd '\(scratch.path(""))'; \(rows.joined(separator: "; "))")
    // A program outside of the terminal's foreground is stopped when it changes the terminal.
    let keys = "stty -echo < /dev/tty && stty echo < /dev/tty"
    let pager = "PAGER=\"\(keys) && cat > paged && echo shown\""
    let run = try await terminal(#""$varve" list hats.varve Hat"#, [], environment: pager)
    #expect(run.status == 0 && run.output.contains("shown"), "\(run.output) \(run.errors)")
  }

  @Test func `shows styles and a pager on a terminal only`() async throws {
    try await makeStore()
    let rows = (0..<60).map { "create hats.varve Hat --id n\($0) color=red" }
      .map { "\"$varve\" \($0) > made" }.joined(separator: "; ")
    _ = try await Program.shell("cd '\(scratch.path(""))'; \(rows)")
    let pager = #"PAGER="cat > paged; echo shown""#
    let paged = try await terminal(#""$varve" list hats.varve Hat"#, [], environment: pager)
    #expect(paged.output.contains("shown") && !paged.output.contains("n59"), "\(paged.output)")
    let text = try String(contentsOfFile: scratch.path("paged"), encoding: .utf8)
    #expect(text.contains("n59") && text.hasPrefix("\u{1B}[1mid"), "\(text.prefix(80))")
    for (command, setting) in [
      (#""$varve" list hats.varve Hat --no-pager"#, pager),
      (#""$varve" list hats.varve Hat"#, "VARVE_PAGER="),
      (#""$varve" list hats.varve Hat"#, "PAGER=no-such-program"),
      (#""$varve" list hats.varve Hat | cat"#, pager),
    ] {
      let run = try await terminal(command, [], environment: setting)
      #expect(run.output.contains("n59") && !run.output.contains("shown"), "\(command) \(setting)")
    }
    let plain = try await terminal(#""$varve" get hats.varve no"#, [], environment: "NO_COLOR=1")
    #expect(plain.output.contains("varve: error: notFound"))
    let styled = try await terminal(#""$varve" get hats.varve no"#, [])
    #expect(styled.output.contains("\u{1B}[1;31mvarve: error:\u{1B}[0m notFound"))
    let piped = try await Program.shell("cd '\(scratch.path(""))'; \"$varve\" list hats.varve Hat")
    #expect(!piped.output.contains("\u{1B}"))
  }

  @Test func `has a manual page with every command`() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    let run = try await Program.shell("'\(root)/Scripts/manual.py' \"$varve\"")
    #expect(run.status == 0, "\(run.errors)")
    for command in ["shell", "list", "sync", "space create", "home move"] {
      #expect(run.output.contains(".Ss varve \(command)\n"), "\(command)")
    }
    #expect(run.output.contains(".It Fl \\-no\\-pager\n") && run.output.contains(".Sh EXIT STATUS"))
  }
}
#endif
