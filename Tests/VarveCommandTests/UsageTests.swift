#if CommandLine && Server && YAML
import Testing

@Suite struct UsageTests {
  static let misunderstood: [[String]] = [
    ["paint", "hats.varve"],
    ["get"],
    ["set", "hats.varve", "hat-1"],
    ["set", "hats.varve", "hat-1", "color"],
    ["set", "hats.varve", "hat-1", "=red"],
    ["set", "hats.varve", "hat-1", "size:=twelve"],
    ["set", "hats.varve", "hat-1", "a:={\"b\":1,\"b\":2}"],
    ["set", "hats.varve", "hat-1", "color=red", "--at", "2024-02-30"],
    ["get", "hats.varve", "hat-1", "--as-of", "yesterday"],
    ["list", "hats.varve", "Hat", "--where", "color"],
    ["list", "hats.varve", "Hat", "--where", "size<null"],
    ["list", "hats.varve", "Hat", "--where", "@size=1"],
    ["list", "hats.varve", "Hat", "--order", "-"],
    ["list", "hats.varve", "Hat", "--limit", "-1"],
    ["list", "hats.varve", "--count"],
    ["list", "hats.varve", "Hat", "--columns", "color,@size"],
    ["demo", "--csv"],
    ["help", "frob"],
    ["relate", "hats.varve", "a", "likes", "b"],
    ["restore", "hats.varve", "a", "--as-root", "--with-owners"],
    ["sync", "hats.varve", "http://127.0.0.1:8642", "--create"],
    ["sync", "hats.varve", "http://127.0.0.1:8642/"],
    ["retire", "hats.varve", "nobody"],
    ["compact", "hats.varve", "--keeping", "long"],
    ["issues", "hats.varve", "--unique", "name"],
    ["import", "hats.varve", #filePath],
    ["serve", ".", "--origin", "https://app.example/"],
    ["serve", ".", "--origin", "app.example"],
    ["serve", ".", "--origin", "https://app.example:443"],
    ["serve", ".", "--name", "app.example:80"],
    ["serve", ".", "--quota-requests", "0"],
  ]

  @Test(arguments: misunderstood)
  func `an invalid command line ends with 64 and the usage`(
    arguments: [String]
  ) async throws {
    let run = try await Program.varve(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Usage: varve"))
    guard let command = arguments.first, HelpTests.commands.contains(command) else { return }
    #expect(run.errors.contains("Usage: varve \(command) "), "\(run.errors)")
    #expect(run.errors.contains("'varve \(command) --help'"), "\(run.errors)")
  }

  @Test(arguments: HelpTests.commands)
  func `every command prints its own usage for an option it does not have`(
    command: String
  ) async throws {
    let run = try await Program.varve(command, "--no-such-option")
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errors.contains("Usage: varve \(command) "), "\(run.errors)")
  }

  @Test(arguments: ["list", "log", "history"])
  func `a negative limit is reported as such`(command: String) async throws {
    let run = try await Program.varve(command, "hats.varve", "--limit", "-1", "x")
    #expect(run.status == 64)
    #expect(command == "log" || run.errors.contains("not be negative"), "\(run.errors)")
  }

  @Test(arguments: misunderstood)
  func `with --json the error is one document`(arguments: [String]) async throws {
    let run = try await Program.varve(arguments + ["--json"])
    #expect(run.status == 64)
    #expect(try run.document["ok"] == false)
    #expect(try run.document["error"]["code"] == "usage")
  }
}
#endif
