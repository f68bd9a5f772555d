#if CommandLine && Server && YAML
import Foundation
import Testing
import VarveStore
import VarveTestSupport

@Suite struct KeyTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(.enabled(if: !Store.canEncrypt))
  func `a program without encryption refuses a key`() async throws {
    let store = scratch.path("diary.varve")
    let run = try await Program.shell("VARVE_KEY=sesame $varve init \(store)")
    #expect(run.status == 1 && run.errors.contains("unsupported"))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `keys that are empty, missing or several lines are refused`() async throws {
    let store = scratch.path("diary.varve")
    let run = try await Program.shell("VARVE_KEY= $varve init \(store)")
    #expect(run.status == 1 && run.errors.contains("VARVE_KEY is empty"))
    for (content, message) in [("", "one key"), ("a\nb\n", "one key")] {
      let file = scratch.path("key")
      try Data(content.utf8).write(to: URL(fileURLWithPath: file))
      let run = try await Program.varve("init", store, "--key-file", file)
      #expect(run.status == 1 && run.errors.contains(message))
    }
    let none = try await Program.varve("init", store, "--key-file", scratch.path("none"))
    #expect(none.status == 1 && none.errors.contains("the key cannot be read"))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `a new key that nobody can be asked for is a usage error`() async throws {
    let store = scratch.path("diary.varve")
    let run = try await Program.varve("init", store, "--encrypt")
    #expect(run.status == 64 && run.errors.contains("VARVE_KEY"))
    let plain = try await scratch.hats()
    let backup = try await Program.varve("backup", plain, scratch.path("copy"), "--encrypt")
    #expect(backup.status == 64 && backup.errors.contains("VARVE_NEW_KEY"))
  }

  @Test func `a server refuses a key`() async throws {
    let run = try await Program.shell("VARVE_KEY=sesame $varve serve \(scratch.path)")
    #expect(run.status == 1 && run.errors.contains("a server does not encrypt its spaces"))
  }

  @Test(.enabled(if: Store.canEncrypt))
  func `a store is made, read, copied and given another key`() async throws {
    let (store, plain) = (scratch.path("diary.varve"), scratch.path("plain.varve"))
    let file = scratch.path("key")
    try Data("new words\n".utf8).write(to: URL(fileURLWithPath: file))
    let run = try await Program.shell(
      """
      set -e
      export VARVE_KEY='open sesame'
      $varve init \(store)
      $varve set \(store) hat-1 --type Hat color=red
      $varve get \(store) hat-1
      $varve backup \(store) \(plain) --plain
      $varve sync \(store) \(scratch.path("copy.varve")) --create
      $varve merge \(plain) \(store) --both
      $varve rekey \(store) --new-key-file \(file)
      unset VARVE_KEY
      $varve check \(store) --key-file \(file)
      VARVE_KEY='new words' $varve get \(store) hat-1
      VARVE_KEY='open sesame' $varve get \(scratch.path("copy.varve")) hat-1
      VARVE_NEW_KEY='third' $varve backup \(plain) \(scratch.path("third.varve")) --encrypt
      VARVE_KEY='third' $varve merge \(scratch.path("third.varve")) \(store) --other-key-file \(file)
      """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\(store) has the new key"))
    let wrong = try await Program.shell("VARVE_KEY='open sesame' $varve get \(store) hat-1 --json")
    #expect(wrong.status == 1 && wrong.output.contains("wrongKey"))
    for name in ["diary", "copy", "third"] {
      #expect(Store.seemsEncrypted(at: scratch.path("\(name).varve")))
    }
  }

  @Test(
    .enabled(
      if: Store.canEncrypt && PlainFiles.areUsed
    )
  )
  func `a missing key, and one for a plain store, are named`() async throws {
    let plain = try await scratch.hats()
    let store = scratch.path("diary.varve")
    let run = try await Program.shell("VARVE_KEY=sesame $varve init \(store)")
    #expect(run.status == 0)
    let missing = try await Program.varve("stats", store, "--json")
    #expect(missing.status == 1 && missing.output.contains("keyMissing"))
    let plainRun = try await Program.shell("VARVE_KEY=sesame $varve stats \(plain) --json")
    #expect(plainRun.status == 1 && plainRun.output.contains("notEncrypted"))
    let rekey = try await Program.shell("VARVE_NEW_KEY=sesame $varve rekey \(plain) --json")
    #expect(rekey.status == 1 && rekey.output.contains("notEncrypted"))
  }
}
#endif
