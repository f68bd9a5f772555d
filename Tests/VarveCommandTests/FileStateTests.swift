#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Every command on every state that the file of its store may be in.
@Suite struct FileStateTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A command, and how it uses `store`.
  private struct Command {
    let line: String
    let use: FileState.Use
    /// Whether it can be run on the store that the tests make.
    var succeeds = true

    init(_ line: String, _ use: FileState.Use, succeeds: Bool = true) {
      (self.line, self.use, self.succeeds) = (line, use, succeeds)
    }
  }

  private static let commands = [
    Command("get store hat-1", .read), Command("list store", .read),
    Command("list store Hat --csv", .read), Command("query store 'SELECT color FROM Hat'", .read),
    Command("history store hat-1", .read), Command("log store", .read),
    Command("timeline store", .read), Command("diff store 2000-01-01", .read),
    Command("conflicts store", .read), Command("issues store", .read),
    Command("stats store", .read), Command("replicas store", .read),
    Command("export store", .read), Command("check store", .read),
    Command("backup store \"$out/copy\"", .read),
    Command("set store hat-1 color=blue", .write), Command("create store Hat", .write),
    Command("upsert store Hat code=7 --on code", .write),
    Command("update store Hat color=blue", .write), Command("remove store hat-1 size", .write),
    Command("relate store shop-1 owns hat-2", .write),
    Command("unrelate store shop-1 owns hat-1", .write), Command("erase store hat-2", .write),
    Command("restore store hat-3", .write), Command("undo store $commit", .write),
    Command("purge store hat-2", .write),
    Command("resolve store hat-1 --root", .write, succeeds: false),
    Command("batch store \"$lines\" --strict", .write),
    Command("batch store \"$lines\" --strict --create", .make),
    Command("sync store \"$out/new\" --create", .open),
    Command("sync \"$other\" store", .write), Command("sync \"$other\" store --create", .make),
    Command("sync store --folder \"$out\"", .open),
    Command("merge store \"$out/new\" --create", .read),
    Command("merge \"$other\" store", .write), Command("merge \"$other\" store --create", .make),
    Command("load store \"$document\"", .write),
    Command("load store \"$document\" --create", .make),
    Command("import store \"$table\" --type Cap", .write),
    Command("import store \"$table\" --type Cap --create", .make),
    Command("rebuild store", .write), Command("compact store --keeping 36h", .write),
    Command("index store Hat color", .write), Command("init store", .start),
    Command("inspect store --port 0 --write", .open, succeeds: false),
  ]

  /// How many of the pairs are tried: all of them, or one of several.
  private static let part = ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1" ? 1 : 6

  @Test(arguments: FileState.allCases)
  func `a command does its work or says what is wrong, and leaves nothing half done`(
    state: FileState
  ) async throws {
    try await makeInputs()
    let offset = FileState.allCases.firstIndex(of: state) ?? 0
    for (index, command) in Self.commands.enumerated() where (index + offset) % Self.part == 0 {
      try await expect(command, in: state, number: index)
    }
  }

  /// Makes the whole store, another one, and what is loaded.
  private func makeInputs() async throws {
    let whole = try await scratch.hats("whole")
    _ = try await Program.varve("create", whole, "Hat", "--id", "hat-3")
    _ = try await Program.varve("erase", whole, "hat-3")
    _ = try await Program.varve("set", whole, "hat-1", "color=black")
    _ = try await scratch.hats("other")
    let document = scratch.path("document.json")
    _ = try await Program.varve("export", scratch.path("other"), "--output", document)
    try Data("code,color\n1,red\n".utf8).write(to: URL(fileURLWithPath: scratch.path("table.csv")))
    let line = #"{"op":"create","type":"Hat"}"# + "\n"
    try Data(line.utf8).write(to: URL(fileURLWithPath: scratch.path("lines")))
  }

  private func expect(_ command: Command, in state: FileState, number: Int) async throws {
    let line = """
      chmod 755 '\(scratch.path)'; cd '\(scratch.path)'; chmod 644 document.json table.csv lines
      whole=$PWD/whole document=$PWD/document.json table=$PWD/table.csv lines=$PWD/lines
      mkdir 'in-\(number)' 'out-\(number)'; out=$PWD/out-\(number); chmod 777 "$out"
      cp other "$out/second"; chmod 666 "$out/second"; other=$out/second
      commit=$("$varve" log whole --limit 1 --json | grep -o '[0-9a-f]\\{64\\}' | head -1)
      cd 'in-\(number)'; run() { timeout 60 "$varve" "$@"; }
      \(state.preparation)
      ls -Ai > ../before; cat store > ../bytes 2> /dev/null
      run \(command.line)
      status=$?
      ls -Ai | diff ../before - > /dev/null && cat store 2> /dev/null | cmp -s ../bytes - \\
        && echo unchanged > ../same-\(number)
      exec 3>&-; wait; exit $status
      """
    guard command.succeeds || state.refusal(of: command.use) != nil else { return }
    let run = try await Program.shell(Self.inNamespace(line))
    guard run.status != 99 else { return }
    let name = "\(command.line), \(state): \(run)"
    let isUnchanged = FileManager.default.fileExists(atPath: scratch.path("same-\(number)"))
    guard let code = state.refusal(of: command.use) else {
      #expect(run.status == 0, "\(name)")
      if command.use == .read { #expect(isUnchanged, "\(name)") }
      return
    }
    #expect(run.status == 1, "\(name)")
    // Operations report their errors as documents.
    let isNamed =
      run.errors.contains("error: \(code): ") || run.output.contains("\"code\":\"\(code)\"")
    #expect(isNamed, "\(name)")
    #expect(!run.errors.contains("(code "), "\(name)")
    if state.staysAsItIs { #expect(isUnchanged, "\(name)") }
  }

  /// Returns a line that mounts for itself alone, if it may.
  private static func inNamespace(_ line: String) -> String {
    guard getuid() == 0 else { return line }
    let quoted = line.replacing("'", with: #"'"'"'"#)
    return "unshare -m true 2> /dev/null && exec unshare -m bash -c '\(quoted)' || exit 99"
  }
}
#endif
