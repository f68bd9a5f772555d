import Testing

@Suite struct HelpTests {
  static let commands = [
    "init", "set", "create", "get", "list", "history", "log", "relate", "unrelate", "erase",
    "restore", "merge", "check", "rebuild", "demo", "export", "load",
  ]

  @Test func `help without a command lists all commands`() async throws {
    let run = try await Program.varve("--help")
    #expect(run.status == 0)
    for command in Self.commands { #expect(run.output.contains("\n  \(command) ")) }
  }

  @Test(arguments: commands)
  func `the help of every command teaches by example`(command: String) async throws {
    let run = try await Program.varve("help", command)
    #expect(run.status == 0)
    let examples = run.lines.drop { $0 != "Example:" && $0 != "Examples:" }.dropFirst()
      .prefix { !$0.hasPrefix("USAGE") }
    #expect(!examples.isEmpty)
    for example in examples { #expect(example.hasPrefix("  varve \(command)")) }
  }

  @Test func `the help of check reads like this`() async throws {
    let run = try await Program.varve("check", "--help")
    #expect(
      run.output == """
        OVERVIEW: Prove that a store holds what was written to it.

        Verifies every hash and compares every table with the log. Exits with 1 if
        anything is wrong.

        Examples:
          varve check hats.varve
          varve check hats.varve --json

        USAGE: varve check <store> [--json] [--csv]

        ARGUMENTS:
          <store>                 The store's file.

        OPTIONS:
          --json                  Answer with one JSON document on standard output,
                                  errors included.
          --csv                   Answer with comma-separated values, where the answer
                                  is a table.
          --version               Show the version.
          -h, --help              Show help information.


        """
    )
  }

  @Test func `the version is told`() async throws {
    #expect(try await Program.varve("--version").output.hasPrefix("varve "))
  }
}
