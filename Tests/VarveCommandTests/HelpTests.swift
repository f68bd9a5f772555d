#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite struct HelpTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let commands = [
    "demo", "init", "get", "list", "query", "history", "log", "timeline", "diff", "conflicts",
    "issues",
    "stats", "set", "create", "upsert", "update",
    "remove", "relate", "unrelate", "erase", "restore", "undo", "purge", "resolve",
    "replicas", "retire", "batch", "merge", "check", "rebuild", "compact", "completions", "export",
    "load", "import",
    "sync", "inspect", "serve", "token", "grant", "space", "webhook", "home", "project", "backup",
    "rekey", "index", "schema", "shell",
  ]

  @Test func `help without a command lists all commands, and these are all`() async throws {
    let run = try await Program.varve("--help")
    #expect(run.status == 0)
    let listed = run.lines.drop { !$0.hasSuffix("SUBCOMMANDS:") }.filter { line in
      line.hasPrefix("  ") && !line.hasPrefix("   ") && !line.hasPrefix("  See ")
    }
    let names = listed.compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(Set(Self.commands).isSubset(of: names))
    #expect(Set(names).isSubset(of: Self.known), "a command is new: add it to the tests")
  }

  /// Commands of this suite, and those whose examples are run elsewhere.
  private static let known = Set(commands)

  @Test(arguments: commands)
  func `the help of every command teaches by example`(command: String) async throws {
    let run = try await Program.varve("help", command)
    #expect(run.status == 0)
    let examples = run.lines.drop { $0 != "Example:" && $0 != "Examples:" }.dropFirst()
      .prefix { !$0.hasPrefix("USAGE") }
    #expect(!examples.isEmpty)
    for example in examples { #expect("\(example) ".contains("varve \(command) ")) }
  }

  @Test(arguments: commands)
  func `the help of every command fills its lines`(command: String) async throws {
    let lines = try await Program.varve("help", command).output.components(separatedBy: "\n")
    let text = lines.prefix { !$0.hasPrefix("Example") }
    for (line, next) in zip(text, text.dropFirst()) where !line.isEmpty && !next.isEmpty {
      let word = next.prefix { $0 != " " }
      #expect(line.count + 1 + word.count >= 80, "\(line)")
    }
  }

  // `DemoTests` runs the demo, `ServeCommandTests` the server, which does not end, and its spaces,
  // `InspectCommandTests` the inspector, and `KeyTests` changes a key. Grants need a server; a home and a projection need a
  // database.
  @Test(
    arguments: commands.filter {
      !["demo", "inspect", "serve", "space", "grant", "home", "project", "rekey"].contains($0)
    }
  )
  func `the examples of a command's help work`(command: String) async throws {
    let help = try await Program.varve("help", command)
    let examples = help.lines.drop { $0 != "Example:" && $0 != "Examples:" }.dropFirst()
      .prefix { !$0.hasPrefix("USAGE") }
    let (folder, commit) = try await Self.shop.value
    for (number, example) in examples.enumerated() {
      let line = example.replacing("1a2b3c4d5e6f", with: commit.prefix(12))
        .split(separator: " > ")[0]
      let copy = scratch.path("\(number)")
      let run = try await Program.shell(
        "cp -r '\(folder.path(""))' '\(copy)'; cd '\(copy)'; varve() { \"$varve\" \"$@\"; }; \(line)"
      )
      #expect(run.status == 0, "\(example): \(run.output)\(run.errors)")
    }
  }

  /// A folder with the files that examples name, and the last commit in them.
  private static let shop = Task {
    let folder = try Scratch()
    let store = try await folder.hats("hats.varve", at: "2018-06-01")
    let log = try await Program.varve("log", store, "--limit", "1", "--json").result
    for copy in ["laptop", "office"] {
      _ = try await Program.varve("merge", store, folder.path("\(copy).varve"), "--create")
    }
    for (name, form) in [("hats.json", "compact"), ("hats-full.json", "full")] {
      _ = try await Program.varve("export", store, "--form", form, "--output", folder.path(name))
    }
    try Data(#"{"op":"all"}"#.utf8)
      .write(to: URL(fileURLWithPath: folder.path("operations.jsonl")))
    for (name, text) in [
      ("map.json", Self.mapping), ("books.json", Self.books), ("authors.json", "[5, 6]"),
      ("hats.csv", "code,color\nb7,red\n"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    try FileManager.default.copyItem(
      at: tests.appending(path: "Fixtures/chinook.sqlite"),
      to: URL(fileURLWithPath: folder.path("app.sqlite"))
    )
    return (folder, try log[0]["hash"].text)
  }

  private static let mapping = """
    {"roots": [{"pointer": "/books", "mapping": "Book"}],
     "mappings": {
      "Book": {"id": "isbn", "attributes": {"isbn": "isbn", "title": "title"},
        "relationships": [{"fromIds": "authors", "to": "authors", "many": "set",
          "mapping": "Author"}]},
      "Author": {"id": "number", "attributes": {"number": "number", "name": "name"}}}}
    """
  private static let books = """
    {"books": [{"isbn": "1", "title": "Hats", "authors": [5]}],
     "authors": [{"number": 5, "name": "Ann"}]}
    """

  @Test func `every command has the documented arguments and options, and no others`()
    async throws
  {
    let run = try await Program.varve("--experimental-dump-help")
    let help = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let root = try #require(help?["command"] as? [String: Any])
    let commands = try #require(root["subcommands"] as? [[String: Any]])
    var rows: Set<String> = []
    for command in commands {
      let name = try #require(command["commandName"] as? String)
      guard name != "help" else { continue }
      let parts = (command["subcommands"] as? [[String: Any]] ?? []).filter {
        $0["commandName"] as? String != "help"
      }
      for part in parts {
        let full = "\(name) \(part["commandName"] as? String ?? "")"
        rows.insert(Self.row(full, part["arguments"] as? [[String: Any]] ?? []))
      }
      guard parts.isEmpty else { continue }
      rows.insert(Self.row(name, command["arguments"] as? [[String: Any]] ?? []))
    }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Commands.md")
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let table = lines.drop { $0 != "## The options of every command" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }
    let documented = Set(table.filter { $0.hasPrefix("| `") })
    #expect(documented.subtracting(rows).isEmpty, "\(documented.subtracting(rows).sorted())")
    #expect(rows.subtracting(documented).isEmpty, "\(rows.subtracting(documented).sorted())")
  }

  /// The row of a command in the table of options.
  private static func row(_ name: String, _ arguments: [[String: Any]]) -> String {
    var cells: [[String]] = [["`\(name)`"], [], []]
    for argument in arguments {
      if argument["kind"] as? String == "positional" {
        let name = argument["valueName"] as? String ?? ""
        let text = name + (argument["isRepeating"] as? Bool == true ? "…" : "")
        cells[1].append(argument["isOptional"] as? Bool == true ? "`[\(text)]`" : "`\(text)`")
      } else if let name = (argument["preferredName"] as? [String: Any])?["name"] as? String,
        name != "help", name != "version"
      {
        cells[2].append("`--\(name)`")
      }
    }
    return cells.reduce("|") { $0 + ($1.isEmpty ? "" : " " + $1.joined(separator: ", ")) + " |" }
  }

  @Test func `the help of check reads like this`() async throws {
    let run = try await Program.varve("check", "--help")
    #expect(
      run.output == """
        OVERVIEW: Verify the integrity of a store.

        Verifies every hash and compares every table with the log; at a member of a
        sealed space, also every signature. Exits with 1 if anything is wrong.

        Examples:
          varve check hats.varve
          varve check hats.varve --json

        USAGE: varve check <store> [--key-file <key-file>] [--keys <folder>] [--json] [--csv] [--no-pager]

        ARGUMENTS:
          <store>                 The store's file.

        OPTIONS:
          --key-file <key-file>   The file that holds the store's key; VARVE_KEY has it
                                  by default.
          --keys <folder>         The folder of this device's keys for sealed spaces;
                                  VARVE_KEYS names it by default.
          --json                  Print one JSON document on standard output, also for
                                  an error.
          --csv                   Print a table as comma-separated values.
          --no-pager              Show long tables on a terminal without a pager.
          --version               Show the version.
          -h, --help              Show help information.


        """
    )
  }

  @Test func `the present first is refused with a folder, as documented`() async throws {
    let run = try await Program.varve(
      "sync",
      scratch.path("a.varve"),
      "--folder",
      scratch.path("f"),
      "--present-first"
    )
    #expect(run.status == 64)
    #expect(run.errors.contains("--present-first"))
  }

  @Test func `--version prints the version`() async throws {
    #expect(try await Program.varve("--version").output.hasPrefix("varve "))
  }
}
#endif
