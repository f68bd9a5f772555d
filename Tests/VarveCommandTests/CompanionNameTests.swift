#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

@Suite("A name that SQLite would take for its own, or for a URI")
struct CompanionNameTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs a script in a folder with the store `x`, which has the hat `b`.
  private func run(_ script: String) async throws -> Program.Run {
    try await Program.shell(
      """
      cd '\(scratch.path(""))'; "$varve" init x > /dev/null
      "$varve" set x b --type Hat v=1 > /dev/null
      \(script)
      """
    )
  }

  @Test func `no command creates a store beside another that the other would remove`() async throws
  {
    let run = try await run(
      """
      "$varve" export x --form full --output full.json > /dev/null
      for name in x-shm x-wal x-journal; do
        "$varve" init $name
        "$varve" backup x $name
        "$varve" merge x $name --create
        "$varve" sync x $name --create
        "$varve" load $name full.json --create
        "$varve" batch $name --create < /dev/null
        "$varve" export x --sqlite $name
        "$varve" export x --output $name
        ls
      done 2>&1 | grep -vE ': error: (invalidArgument|notAStore): '
      """
    )
    #expect(run.output == String(repeating: "full.json\nx\n", count: 3), "\(run.output)")
  }

  @Test func `a store that got such a name is not lost when the other one is read`() async throws {
    let run = try await run(
      """
      "$varve" init y > /dev/null
      for suffix in shm wal journal; do
        cp y x-$suffix
        "$varve" get x b v
        "$varve" export x --output doc-$suffix
        "$varve" import z x --create --plan
        cmp y x-$suffix && mv x-$suffix kept
      done
      "$varve" get x b v; ls
      """
    )
    #expect(run.output == "1\nkept\nx\ny\n", "\(run.output)")
    #expect(run.errors.contains("the file is a database, but its name is that of"))
  }

  @Test func `a document is written under any name, unless a file has it without the suffix`()
    async throws
  {
    let run = try await run(
      """
      "$varve" export x --output trip-journal && touch note && "$varve" export x --output note-journal
      ls
      """
    )
    #expect(run.output.hasSuffix("note\ntrip-journal\nx\n"), "\(run.output)")
    #expect(run.errors.contains("the name ends in -journal"))
  }

  @Test func `a path is a path, also if it looks like a URI or a database in memory`() async throws
  {
    let run = try await run(
      """
      exec 2>&1
      "$varve" export x --sqlite 'file:o.db?mode=memory' > /dev/null
      "$varve" export x --sqlite :memory: > /dev/null
      ls
      "$varve" import y 'file:o.db?mode=memory' --create | grep -o '1 created'
      "$varve" import z :memory: --create | grep -o '1 created'
      cp 'file:o.db?mode=memory' 'file:o.db?immutable=1'
      "$varve" import y 'file:o.db?immutable=1' | grep -o '1 unchanged'
      "$varve" backup x 'file:b?mode=memory' | grep -c clean
      cd "$PWD/." && "$varve" get "/$PWD/x" b v
      """
    )
    let expected = """
      :memory:
      file:o.db?mode=memory
      x
      1 created
      1 created
      1 unchanged
      1
      1

      """
    #expect(run.output == expected, "\(run.output)")
  }

  @Test func `a slash at the end of a file's path is named as what is wrong`() async throws {
    let run = try await run("\"$varve\" init x/; \"$varve\" init new/")
    #expect(run.status == 1)
    #expect(run.errors.components(separatedBy: "the path ends in a slash").count == 3)
  }
}
#endif
