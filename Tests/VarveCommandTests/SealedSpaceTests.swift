#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveTestSupport

/// Sealed spaces on files, by commands.
@Suite struct SealedSpaceTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs a script in the folder of the test. `ana` and `ben` are `varve` with the keys of two
  /// devices.
  private func shell(_ script: String) async throws -> Program.Run {
    try await Program.shell(
      """
      cd '\(scratch.path)'; unset VARVE_KEYS
      varve() { "$varve" "$@"; }
      ana() { "$varve" "$@" --keys ana-keys; }
      ben() { "$varve" "$@" --keys ben-keys; }
      \(script)
      """
    )
  }

  /// The lines that make a space with two members, of which Ben wrote `hat-1`.
  private static let team = """
    set -e
    ana space seal ana.varve > sealed
    ana space invite ana.varve | head -1 > code
    ben space join ben.varve --code-file code > /dev/null
    ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
    ben set ben.varve hat-1 --type Hat color=red --author ben > /dev/null
    ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
    device=$(ben space members ben.varve --json | grep -o '"device":"[0-9a-f]*","role":"writer"' |
      grep -o '[0-9a-f]\\{64\\}')
    set +e
    """

  @Test func `two members read what each wrote, and see who signed it`() async throws {
    let run = try await shell(
      """
      \(Self.team)
      ana get ana.varve hat-1 color
      ana set ana.varve hat-1 color=blue --author ana > /dev/null
      ana log ana.varve | grep -c unsigned
      ben sync ben.varve ana.varve --other-keys ana-keys > /dev/null
      ben get ben.varve hat-1 color
      ben history ben.varve hat-1 color | grep -c "${device:0:12}"
      ana check ana.varve
      ben check ben.varve --json
      echo $device
      """
    )
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    let lines = run.lines
    #expect(lines.prefix(4) == ["red", "1", "blue", "1"], "\(run)")
    #expect(run.output.contains("  2 commits signed, 0 unsigned, 0 waiting, 0 void"), "\(run)")
    #expect(
      run.output.contains(#""signatures":{"signed":2,"unsigned":0,"waiting":0,"void":0}"#),
      "\(run)"
    )
    let device = try #require(lines.last)
    let log = try await shell("ana log ana.varve --json").result
    #expect(try log[1]["signature"]["standing"].text == "signed")
    #expect(try log[1]["signature"]["device"].text == device)
  }

  @Test func `what a removed member writes is void, and the log says so`() async throws {
    let run = try await shell(
      """
      \(Self.team)
      ana space remove ana.varve ${device:0:12}
      ben set ben.varve hat-1 color=late --author ben > /dev/null
      ben sync ben.varve ana.varve --other-keys ana-keys > /dev/null 2>&1
      ana get ana.varve hat-1 color
      ana log ana.varve | grep -c "void: "
      ana log ana.varve --csv | head -1
      ana space members ana.varve
      ben set ben.varve hat-1 color=later; echo $?
      """
    )
    #expect(run.output.hasPrefix("removed "), "\(run)")
    #expect(run.lines.dropFirst().prefix(2) == ["red", "1"], "\(run)")
    #expect(run.output.contains("time (UTC),author,message,operations,signed by,commit"), "\(run)")
    #expect(run.output.contains("  removed  ") && run.output.contains("this device"), "\(run)")
    #expect(run.lines.last == "1" && run.errors.contains("forbidden"), "\(run)")
  }

  @Test func `roles change, and epochs begin`() async throws {
    let run = try await shell(
      """
      \(Self.team)
      ana space role ana.varve ${device:0:8} reader
      ana space rotate ana.varve
      ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
      ben set ben.varve hat-1 color=blue; echo $?
      ben space rotate ben.varve; echo $?
      ana space role ana.varve 0000000000 reader; echo $?
      ana space role ana.varve '' reader; echo $?
      ana space role ana.varve ${device:0:8} king; echo $?
      """
    )
    #expect(run.output.contains(" is reader\na new epoch begins\n"), "\(run)")
    #expect(run.lines.suffix(5) == ["1", "1", "1", "1", "64"], "\(run)")
    #expect(run.errors.contains("forbidden") && run.errors.contains("notFound"), "\(run)")
  }

  @Test func `a fork of the membership is joined with the recovery key`() async throws {
    let run = try await shell(
      """
      \(Self.team)
      cp ana.varve old.varve; cp -Rp ana-keys old-keys
      ana space rotate ana.varve > /dev/null
      "$varve" space role old.varve ${device:0:12} reader --keys old-keys > /dev/null
      ben sync ben.varve old.varve --other-keys old-keys > /dev/null 2>&1
      ben sync ben.varve ana.varve --other-keys ana-keys; echo $?
      sed -n 's/recovery key: //p' sealed > key
      echo nonsense | ana space join-branch ana.varve old.varve --other-keys old-keys; echo $?
      ana space join-branch ana.varve ana.varve --recovery-key-file key; echo $?
      ana space join-branch ana.varve old.varve --other-keys old-keys --recovery-key-file key
      ben sync ben.varve ana.varve --other-keys ana-keys > /dev/null; echo $?
      ana set ana.varve hat-1 color=blue > /dev/null
      ben sync ben.varve ana.varve --other-keys ana-keys > /dev/null
      ben get ben.varve hat-1 color
      ben space members ben.varve | grep -c reader
      echo nonsense | ben space recover ben.varve; echo $?
      ben space recover ben.varve --recovery-key-file key
      ben space members ben.varve | grep -c admin
      """
    )
    #expect(run.lines.prefix(3) == ["1", "1", "1"], "\(run)")
    #expect(run.errors.contains("readOnly") && run.errors.contains("not forked"), "\(run)")
    #expect(run.output.contains("joined: 2 members, 0 removed"), "\(run)")
    #expect(run.lines.suffix(6).prefix(4) == ["0", "blue", "1", "1"], "\(run)")
    #expect(run.output.contains(" is an admin, and orders the membership\n2\n"), "\(run)")
  }

  @Test func `a code may be typed with spaces and small letters, and a wrong one is not repeated`()
    async throws
  {
    let run = try await shell(
      """
      \(Self.team)
      ana space invite ana.varve --role reader --days 1 --json > invitation
      code=$(grep -o '"code":"[^"]*"' invitation | cut -d'"' -f4)
      grep -o '"role":"reader"' invitation
      echo " $code " | tr 'A-Z-' 'a-z ' | varve space join cleo.varve --keys cleo-keys
      ana sync ana.varve cleo.varve --other-keys cleo-keys > /dev/null
      varve get cleo.varve hat-1 color --keys cleo-keys
      echo "${code}X" | varve space join dan.varve --keys dan-keys; echo $?
      echo "0000-1111" | varve space join dan.varve --keys dan-keys --json; echo $?
      : | varve space join dan.varve --keys dan-keys; echo $?
      varve space join dan.varve --keys dan-keys --code-file none; echo $?
      varve space join dan.varve --keys dan-keys "$code"; echo $?
      ls dan.varve 2>&1 | grep -c "No such"
      ! grep -q "$code" cleo.varve && cat sealed
      """
    )
    #expect(run.lines.first == #""role":"reader""#, "\(run)")
    #expect(run.lines.dropFirst(2).prefix(1) == ["red"], "\(run)")
    #expect(run.lines.filter { $0 == "1" }.count == 5, "\(run)")
    #expect(run.lines.contains("64"), "\(run)")
    #expect(!(run.errors + run.output).contains("0000-1111"), "\(run)")
    let key = try #require(run.output.firstMatch(of: /recovery key: ([0-9A-Z-]{69})\n/)?.1)
    // It is kept nowhere.
    let found = try await shell("grep -rlF '\(key)' . | grep -v '^./sealed$'")
    #expect(found.output.isEmpty, "\(found)")
  }

  @Test func `an admin purges at the home, or proposes it there, and a writer may not`()
    async throws
  {
    let run = try await shell(
      """
      \(Self.team)
      ben purge ben.varve hat-1 2>&1; echo $?
      ben history ben.varve hat-1 color | grep -c red
      ana space role ana.varve $device admin > /dev/null
      ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
      ben purge ben.varve hat-1 | sed 's/(commit.*)/(C)/'
      ben purge ben.varve hat-1 --json | grep -o '"pending":true'
      ben history ben.varve hat-1 color | grep -c red
      ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
      for who in ana ben; do $who history $who.varve hat-1 color 2>&1 | grep -c red; done
      ana set ana.varve hat-2 --type Hat color=blue > /dev/null
      ana purge ana.varve hat-2 | sed 's/(commit.*)/(C)/'
      ana history ana.varve hat-2 color 2>&1 | grep -c blue
      ana sync ana.varve ben.varve --other-keys ben-keys > /dev/null
      for who in ana ben; do $who check $who.varve | tail -1; done
      """
    )
    #expect(run.output.contains("forbidden: a purge or a compaction destroys values"), "\(run)")
    let lines = run.lines.drop { $0 != "77" && $0 != "1" }
    #expect(
      Array(lines.dropFirst().prefix(8)) == [
        "1",
        "will destroy the content of 1 write of 1 entity (C) when this store next synchronises with "
          + "the one that orders the membership",
        #""pending":true"#, "1", "0", "0", "destroyed the content of 1 write of 1 entity (C)", "0",
      ],
      "\(run)"
    )
    #expect(run.errors.isEmpty, "\(run)")
  }

  @Test func `members who meet in a folder alone join, and read what each wrote`() async throws {
    let run = try await shell(
      """
      set -e
      ana space seal ana.varve > sealed
      ana set ana.varve hat-1 --type Hat color=crimson --author ana > /dev/null
      ana space invite ana.varve | head -1 > code
      ben space join ben.varve --code-file code > /dev/null
      for who in ana ben ana ben; do $who sync $who.varve --folder shared > /dev/null; done
      ben get ben.varve hat-1 color
      ben set ben.varve hat-1 color=indigo --author ben > /dev/null
      for who in ben ana ben ana; do $who sync $who.varve --folder shared > /dev/null; done
      ana get ana.varve hat-1 color
      ana check ana.varve --json | grep -o '"waiting":[0-9]*,"void":[0-9]*'
      ls shared | grep -c membership
      ! grep -rqE 'crimson|indigo|color|hat-1' shared
      varve sync open.varve --folder shared --create 2>&1 | grep -o "opened without a seal"
      """
    )
    let expected = ["crimson", "indigo", #""waiting":0,"void":0"#, "2", "opened without a seal"]
    #expect(run.status == 0 && run.lines == expected, "\(run)")
  }

  @Test func `missing, foreign and open folders of keys are named, and change nothing`()
    async throws
  {
    let run = try await shell(
      """
      \(Self.team)
      sum=$(cat ana.varve | sha256sum)
      varve get ana.varve hat-1 --keys none; echo $?
      varve set ana.varve hat-1 color=blue --keys none --json | grep -o keyMissing
      ls -d none 2>&1 | grep -c "No such"
      ben get ana.varve hat-1 color
      varve space seal other.varve --keys other-keys > /dev/null
      varve get ana.varve hat-1 --keys other-keys; echo $?
      varve log ana.varve --keys other-keys --json | grep -o wrongKey
      VARVE_KEYS= varve get ana.varve hat-1; echo $?
      chmod 755 ana-keys
      ana get ana.varve hat-1; echo $?
      chmod 700 ana-keys
      VARVE_KEYS=ana-keys varve get ana.varve hat-1 color
      [ "$sum" = "$(cat ana.varve | sha256sum)" ] && echo same
      """
    )
    // Another member's keys open the copy too, as its own.
    #expect(
      run.lines == [
        "1", "keyMissing", "1", "red", "1", "wrongKey", "1", "1", "red", "same",
      ],
      "\(run)"
    )
    #expect(run.errors.contains("keyMissing: ") && run.errors.contains("--keys"), "\(run)")
    #expect(run.errors.contains("VARVE_KEYS is empty"), "\(run)")
    #expect(run.errors.contains("chmod 700"), "\(run)")
  }

  #if !canImport(Darwin)
  @Test func `keys are in the user's folder for settings by default, for this user alone`()
    async throws
  {
    let run = try await shell(
      """
      export XDG_CONFIG_HOME=$PWD/settings
      varve space seal mine.varve > /dev/null && varve set mine.varve h --type Hat color=red > /dev/null
      varve get mine.varve h color
      stat -c '%a' settings/varve/keys settings/varve
      stat -c '%a' settings/varve/keys/*
      """
    )
    #expect(run.status == 0, "\(run)")
    #expect(run.lines.prefix(3) == ["red", "700", "700"], "\(run)")
    #expect(Set(run.lines.dropFirst(3)) == ["600"], "\(run)")
  }
  #endif

  @Test func `a store with commits is not sealed, and an open one has no members`() async throws {
    let run = try await shell(
      """
      varve set open.varve h --type Hat color=red 2> /dev/null
      varve init open.varve > /dev/null && varve set open.varve h --type Hat color=red > /dev/null
      ana space seal open.varve; echo $?
      ana space members open.varve --json; echo $?
      ana space invite open.varve; echo $?
      varve get open.varve h color
      ana space seal ana.varve > /dev/null && ana space seal ana.varve; echo $?
      """
    )
    #expect(run.lines.filter { $0 == "1" }.count == 4, "\(run)")
    #expect(run.lines.contains("red"), "\(run)")
    #expect(run.errors.contains("unsupported: ") && run.errors.contains("open one"), "\(run)")
  }

  @Test func `a store that waits to be admitted is not written to, and says what it waits for`()
    async throws
  {
    let run = try await shell(
      """
      \(Self.team)
      ana space invite ana.varve | head -1 > code
      varve space join cleo.varve --keys cleo-keys < code > /dev/null
      varve set cleo.varve h --type Hat color=red --keys cleo-keys; echo $?
      varve set cleo.varve h --type Hat color=red --keys none; echo $?
      varve space members cleo.varve --keys cleo-keys
      ben sync ben.varve cleo.varve --other-keys cleo-keys > /dev/null
      varve space members cleo.varve --keys cleo-keys --json | grep -o '"space":null'
      """
    )
    #expect(run.lines.prefix(2) == ["1", "1"], "\(run)")
    #expect(run.errors.contains("forbidden") && run.errors.contains("keyMissing"), "\(run)")
    #expect(run.output.contains("waits to be admitted"), "\(run)")
    #expect(run.lines.last == #""space":null"#, "\(run)")
  }
}
#endif
