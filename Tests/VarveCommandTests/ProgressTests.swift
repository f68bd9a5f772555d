#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct ProgressTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `work of over a second shows its progress, and removes the line`() async throws {
    let shown = try await onTerminal(columns: 100, "batch", seconds: 2)
    let last = try #require(shown.dropLast().last)
    #expect(last.wholeMatch(of: /batch  [0-9,]+ operations, [0-9,]+\/s/) != nil, "\(last)")
    #expect(shown.last == "")
  }

  @Test func `the line never breaks on a narrow terminal`() async throws {
    let shown = try await onTerminal(columns: 12, "batch", seconds: 2)
    #expect(shown.count > 1)
    #expect(shown.allSatisfy { $0.count < 12 })
  }

  @Test func `work whose end is known shows a bar and the time left`() async throws {
    _ = try await onTerminal(columns: 100, "batch", seconds: 4)
    let shown = try await onTerminal(columns: 100, "rebuild", seconds: 0)
    let bar = /rebuild  \[█* *\]  [0-9,]+ of [0-9,]+ commits, [0-9,]+\/s(, [0-9a-z ]+ left)?/
    let last = shown.dropLast().last
    #expect(last?.wholeMatch(of: bar) != nil || shown.isEmpty, "\(last ?? "nothing")")
  }

  @Test func `tables of other programs are written with a bar that counts rows`() async throws {
    _ = try await onTerminal(columns: 100, "batch", seconds: 6)
    for table in [["--sqlite", scratch.path("hats.sqlite")], ["--csv", "--type", "Hat"]] {
      let shown = try await onTerminal(columns: 100, "export", table, seconds: 0)
      let bar = /export  \[█* *\]  [0-9,]+ of [0-9,]+ rows, [0-9,]+\/s(, [0-9a-z ]+ left)?/
      let last = shown.dropLast().last
      #expect(last?.wholeMatch(of: bar) != nil || shown.isEmpty, "\(table): \(last ?? "nothing")")
    }
  }

  @Test func `work of less than a second, and work without a terminal, shows nothing`()
    async throws
  {
    #expect(try await onTerminal(columns: 100, "batch", seconds: 0) == [])
    let run = try await Program.shell(
      "(sleep 1.5; echo '{\"op\":\"types\"}') | \"$varve\" batch '\(scratch.path("quiet"))' --create"
    )
    #expect(run.errors == "")
  }

  /// What a command wrote on a terminal that is its standard error, line over line. A batch is fed
  /// for so many seconds.
  private func onTerminal(
    columns: Int,
    _ command: String,
    _ options: [String] = [],
    seconds: Int
  ) async throws -> [String] {
    let script = scratch.path("terminal.py")
    try Data(Self.terminal.utf8).write(to: URL(fileURLWithPath: script))
    let run = try await Program.shell(
      "python3 '\(script)' \"$varve\" '\(scratch.path("p.varve"))' \(columns) \(command) \(seconds) "
        + options.map { "'\($0)'" }.joined(separator: " ")
    )
    #expect(run.errors == "")
    return try JSONDecoder().decode([String].self, from: Data(run.output.utf8))
  }

  private static let terminal = #"""
    import fcntl, json, os, pty, struct, subprocess, sys, termios, threading, time
    varve, store, columns, command, seconds, *options = sys.argv[1:]
    terminal, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    program = subprocess.Popen([varve, command, store] + options + ["--create"] * (command == "batch"),
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    def feed():
        end = time.time() + float(seconds)
        while command == "batch" and time.time() < end:
            program.stdin.write(b'{"op":"create","type":"Hat","set":{"size":1}}\n')
        program.stdin.close()
    threading.Thread(target=feed).start()
    written = b""
    while True:
        try: part = os.read(terminal, 65536)
        except OSError: break
        if not part: break
        written += part
    assert program.wait() == 0, written
    lines = written.decode().split("\r\x1b[K")
    assert lines[0] == ""
    print(json.dumps(lines[1:]))
    """#
}
#endif
