#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// The effects of `export --output` on existing files at its target.
@Suite struct ExportTargetTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  @Test(arguments: [
    "a.varve", "./a.varve", "a.varve-wal", "a.varve-shm", "a.varve-journal",
    "link", "hard", "wal-link", "folder-link/a.varve", "/dev/fd/3",
  ])
  func `the store and its files are refused, by any name`(target: String) async throws {
    let store = try await scratch.hats("a.varve")
    let before = bytes(store)
    let folder = scratch.path("")
    let run = try await Program.shell(
      """
      cd '\(folder)'; ln -s a.varve link; ln a.varve hard; ln -s ./a.varve-wal wal-link
      ln -s . folder-link; "$varve" export a.varve --output \(target) --json 3>>a.varve
      """
    )
    #expect(run.status == 1)
    #expect(try run.document["error"]["code"] == "invalidArgument")
    #expect(bytes(store) == before)
    #expect(try await Program.varve("check", store).status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!names.contains { $0.hasSuffix(".partial") || $0.hasSuffix("-journal") })
  }

  @Test func `standard output is refused if it is the store`() async throws {
    let store = try await scratch.hats()
    let before = bytes(store)
    let run = try await Program.shell("\"$varve\" export '\(store)' >> '\(store)'")
    #expect(run.status == 1 && run.errors.hasPrefix("varve: error: invalidArgument: "))
    #expect(bytes(store) == before)
  }

  @Test func `a link is followed, and the file keeps its permissions`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell(
      """
      cd '\(scratch.path(""))'; mkdir sub; echo old > sub/real.json; chmod 640 sub/real.json
      ln -s sub/real.json one; ln -s one two; ln -s sub/new.json none
      "$varve" export '\(store)' --output two && "$varve" export '\(store)' --output none
      readlink one two none; ls -l sub | cut -c 1-10 | tail -1; ls -A sub
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.lines.dropFirst(2) == [
        "sub/real.json", "one", "sub/new.json", "-rw-r-----", "new.json", "real.json",
      ]
    )
    let document = try await Program.varve("export", store).output
    for name in ["sub/real.json", "sub/new.json"] {
      #expect(bytes(scratch.path(name)) == Data(document.utf8))
    }
  }

  @Test func `a pipe with a name is written to`() async throws {
    let store = try await scratch.hats()
    let run = try await Program.shell(
      """
      cd '\(scratch.path(""))'; mkfifo pipe; cat pipe > copy & "$varve" export '\(store)' \
      --output pipe --json; wait; test -p pipe && cat copy
      """
    )
    #expect(run.lines.first?.hasPrefix(#"{"ok":true"#) == true)
    let document = try await Program.varve("export", store).output
    #expect(run.output.hasSuffix("\n" + document))
  }

  @Test func `standard output by name is written at its present position`() async throws {
    let store = try await scratch.hats()
    let file = scratch.path("out")
    let run = try await Program.shell(
      "echo before > '\(file)'; \"$varve\" export '\(store)' --output /dev/stdout >> '\(file)'"
    )
    #expect(run.status == 0)
    let document = try await Program.varve("export", store).output
    #expect(bytes(file) == Data("before\n\(document)".utf8))
    let asked = try await Program.varve("export", store, "--output", "/dev/stdout", "--json")
    #expect(asked.status == 64)
  }

  @Test func `a full device is an error, and stays a device`() async throws {
    let store = try await scratch.hats()
    // The device is named by a link, so that a mistaken replacement would only replace the link.
    let link = scratch.path("full")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
    let run = try await Program.varve("export", store, "--output", link)
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("varve: error: diskFull: the document cannot be written"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/full")
  }

  @Test func `a folder, and links in a circle, are refused`() async throws {
    let store = try await scratch.hats()
    let folder = try await Program.varve("export", store, "--output", scratch.path(""))
    #expect(folder.errors.hasPrefix("varve: error: invalidArgument: the path is a folder"))
    let circle = scratch.path("circle")
    try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: circle)
    let run = try await Program.varve("export", store, "--output", circle)
    #expect(run.errors.hasPrefix("varve: error: inputOutput: the links form a cycle"))
  }
}
#endif
