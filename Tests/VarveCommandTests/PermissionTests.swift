#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Files and folders that the user of the program may not read or write.
@Suite struct PermissionTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs lines in the folder, with `other` as the program, as a user who is not root. Returns nil
  /// if no other user may run it.
  private func asOther(_ lines: String) async throws -> Program.Run? {
    let run = try await Program.shell(
      """
      cd '\(scratch.path(""))'; chmod 755 .
      other() {
        if [ "$(id -u)" != 0 ]; then "$varve" "$@"
        else setpriv --reuid=65534 --regid=65534 --clear-groups "$varve" "$@"; fi
      }
      other --version > /dev/null 2>&1 || exit 99
      \(lines)
      """
    )
    return run.status == 99 ? nil : run
  }

  @Test func `a store in a folder that is not writable is read, and not written`() async throws {
    _ = try await scratch.hats("folder.varve")
    let lines = """
      mkdir closed; cp folder.varve closed/r.varve; chmod 444 closed/r.varve; chmod 555 closed
      other list closed/r.varve Hat --count; other set closed/r.varve hat-1 a=b
      other init closed/new.varve --json; chmod 755 closed; ls -A closed
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.lines.first == "2" && run.lines.last == "r.varve" && run.lines.count == 3)
    #expect(run.errors.hasPrefix("varve: error: readOnly: the store's file is not writable"))
    #expect(run.errors.contains("copy the store"))
    #expect(!run.errors.contains("code") && !run.errors.contains("SQLite"))
    #expect(run.lines[1].contains("\"code\":\"readOnly\""))
    #expect(run.lines[1].contains("closed\""))
  }

  @Test func `a log without its index is not read where none can be made`() async throws {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      mkdir closed; cp hats.varve closed/r.varve; cd closed; mkfifo lines
      "$varve" batch r.varve lines > ../answers & exec 3> lines
      echo '{"op":"set","id":"hat-1","set":{"color":"black"}}' >&3
      until [ -s ../answers ]; do sleep 0.02; done
      kill -9 $!; wait $! 2> /dev/null; rm r.varve-shm; chmod 444 *; chmod 555 .
      other get r.varve hat-1 color; ls -A; cd ..; cp closed/r.varve* .
      "$varve" get r.varve hat-1 color
      """
    guard let run = try await asOther(lines) else { return }
    let message = "varve: error: readOnly: the store's write-ahead log holds commits, and its index"
    #expect(run.errors.hasPrefix(message), "\(run)")
    #expect(run.lines == ["lines", "r.varve", "r.varve-wal", "black"], "\(run)")
  }

  @Test func `a read-only store is read if its folder is writable, and nothing is left`()
    async throws
  {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      mkdir open; cp hats.varve open/r.varve; chmod 444 open/r.varve; chmod 777 open
      other list open/r.varve Hat --count; other set open/r.varve hat-1 a=b; ls -A open
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.lines == ["2", "r.varve"])
    #expect(run.errors.hasPrefix("varve: error: readOnly: the store's file is not writable"))
  }

  @Test func `who may only read neither locks the owner out nor misses what the owner writes`()
    async throws
  {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      mkdir shared; cp hats.varve shared/s.varve; chmod 644 shared/s.varve; chmod 1777 shared
      mkfifo lines; other get shared/s.varve hat-1 color
      "$varve" batch shared/s.varve lines > answers & exec 3> lines
      echo '{"op":"set","id":"hat-1","set":{"color":"black"}}' >&3
      until [ -s answers ]; do sleep 0.02; done
      other get shared/s.varve hat-1 color
      echo '{"op":"set","id":"hat-1","set":{"color":"blue"}}' >&3; exec 3>&-; wait
      other get shared/s.varve hat-1 color; ls -A shared
      "$varve" set shared/s.varve hat-1 color=white > set; other get shared/s.varve hat-1 color
      ls -A shared
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.lines == ["red", "black", "blue", "s.varve", "white", "s.varve"], "\(run)")
    #expect(run.errors.isEmpty)
  }

  @Test func `a read during which the owner writes is no result`() async throws {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      printf '{"op":"create","type":"Hat","set":{"n":%d}}\\n' $(seq 8000) > lines
      "$varve" batch hats.varve lines > /dev/null
      chmod 644 hats.varve; chmod 755 .; mkfifo pipe
      other export hats.varve > pipe 2> errors & exec 4< pipe; head -c 100 <&4 > /dev/null
      "$varve" update hats.varve Hat n:=0 > /dev/null; cat <&4 > /dev/null; wait $!; echo $?
      cat errors; other list hats.varve Hat --count
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.lines.first == "1", "\(run)")
    #expect(run.output.contains("error: busy: the store was written while it was read"), "\(run)")
    #expect(run.lines.last == "8002")
  }

  @Test func `unreadable files are not reported as missing`() async throws {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      chmod 777 .; chmod 666 hats.varve*; echo '{}' > secret; chmod 000 secret
      other batch hats.varve secret; other load hats.varve secret; other batch hats.varve none
      """
    guard let run = try await asOther(lines) else { return }
    let errors = run.errors.split(separator: "\n")
    #expect(errors.count == 3)
    for error in errors.prefix(2) {
      #expect(error.hasPrefix("varve: error: inputOutput: the file cannot be read"))
    }
    #expect(errors.last?.hasPrefix("varve: error: notFound: there is no such file") == true)
  }
}
#endif
