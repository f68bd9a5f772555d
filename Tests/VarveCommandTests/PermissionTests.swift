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

  @Test func `a store in a folder that is not writable has an error with a remedy`() async throws {
    _ = try await scratch.hats("folder.varve")
    let lines = """
      mkdir closed; cp folder.varve closed/r.varve; chmod 444 closed/r.varve; chmod 555 closed
      other list closed/r.varve; other init closed/new.varve --json; chmod 755 closed
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.errors.hasPrefix("varve: error: readOnly: the store's folder is not writable"))
    #expect(run.errors.contains("copy the store"))
    #expect(!run.errors.contains("code") && !run.errors.contains("SQLite"))
    #expect(try run.document["error"]["code"] == "readOnly")
    #expect(try run.document["error"]["at"].text.hasSuffix("closed"))
  }

  @Test func `a read-only store is read if its folder is writable`() async throws {
    _ = try await scratch.hats("hats.varve")
    let lines = """
      mkdir open; cp hats.varve open/r.varve; chmod 444 open/r.varve; chmod 777 open
      other list open/r.varve Hat --count; other set open/r.varve hat-1 a=b
      """
    guard let run = try await asOther(lines) else { return }
    #expect(run.output == "2\n")
    #expect(run.errors.hasPrefix("varve: error: readOnly: the store's file is not writable"))
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
