#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Lines that are written while entities are read.
@Suite struct StreamedLinesTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A store with hats whose names have a thousand characters.
  private func store(_ count: Int) async throws -> String {
    let (document, store) = (scratch.path("\(count).csv"), scratch.path("\(count).varve"))
    let name = String(repeating: "x", count: 1_000)
    let lines = (0..<count).map { "\($0),\(name)\n" }
    try Data(("number,name\n" + lines.joined()).utf8).write(to: URL(fileURLWithPath: document))
    let run = try await Program.varve("import", store, document, "--type", "Hat", "--create")
    #expect(run.status == 0, "\(run.errors)")
    return store
  }

  @Test func `a list in CSV is the same with chosen columns, conditions, an order and all types`()
    async throws
  {
    let store = try await scratch.hats()
    for (arguments, rows) in [
      (["Hat", "--columns", "size", "--order", "size", "--limit", "1"], 2),
      (["Hat", "--where", "size=-1"], 1), (["--all", "--limit", "2"], 3), (["None"], 1),
    ] {
      let csv = try await Program.varve(["list", store, "--csv"] + arguments).csv
      let json = try await Program.varve(["list", store, "--json"] + arguments).result
      #expect(csv.count == rows)
      for (row, line) in csv.dropFirst().enumerated() {
        #expect(try json[row]["id"].text == line[0])
      }
    }
  }

  @Test func `the memory of a list in CSV does not grow with the number of rows`() async throws {
    var peaks: [Int] = []
    for count in [1_000, 20_000] {
      let store = try await store(count)
      let run = try await Program.shell(
        "python3 -c 'import resource,subprocess,sys;"
          + "subprocess.run([sys.argv[1],\"list\",sys.argv[2],\"Hat\",\"--csv\"],check=True,"
          + "stdout=subprocess.DEVNULL);"
          + "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \"$varve\" '\(store)'"
      )
      peaks.append(try #require(Int(run.lines.first ?? ""), "\(run.errors)"))
    }
    // Kilobytes. The rows have 20 MB, and were in memory six times over. SQLite's caches of pages grow
    // to 64 MiB and no further.
    #expect(peaks[1] - peaks[0] < 66_000, "\(peaks)")
  }

  @Test func `an export of lines shows its progress while a slow reader takes them`() async throws {
    let store = try await store(2_000)
    let script = scratch.path("slow.py")
    try Data(Self.slowReader.utf8).write(to: URL(fileURLWithPath: script))
    let run = try await Program.shell("python3 '\(script)' \"$varve\" '\(store)'")
    #expect(run.errors == "")
    let bar = /export  \[█* *\]  [0-9,]+ of 4,000 rows, [0-9,]+\/s(, [0-9a-z ]+ left)?/
    #expect(run.lines.contains { $0.wholeMatch(of: bar) != nil }, "\(run.output)")
  }

  private static let slowReader = #"""
    import fcntl, os, pty, struct, subprocess, sys, termios, threading, time
    terminal, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    program = subprocess.Popen([sys.argv[1], "export", sys.argv[2], "--csv", "--type", "Hat"],
                               stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    def read():
        time.sleep(2.5)
        program.stdout.read()
    threading.Thread(target=read).start()
    written = b""
    while True:
        try: part = os.read(terminal, 65536)
        except OSError: break
        if not part: break
        written += part
    assert program.wait() == 0, written
    print("\n".join(written.decode().split("\r\x1b[K")))
    """#
}
#endif
