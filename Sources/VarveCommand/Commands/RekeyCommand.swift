#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve rekey`
struct RekeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Encrypt a store anew with another key.",
    discussion: """
      The present key is that of VARVE_KEY, --key-file or typed, the new one that of VARVE_NEW_KEY, \
      --new-key-file or typed. A key is a passphrase, or 64 hexadecimal digits as x'…'. Every page is \
      written again, in one transaction. Copies and backups that were made before keep the former \
      key.

      A store that is not encrypted has no key: varve backup --encrypt makes an encrypted copy.

      Examples:
        varve rekey diary.varve
        varve rekey diary.varve --key-file old.key --new-key-file new.key
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var newKey: NewKeyOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await file.use { store in
      let key = try StoreKeys.newKey(newKey)
      try await Progress.during("rekey", "") { _ in try await store.changeKey(to: key) }
    }
    var answer = Answer(["store": .string(file.store), "rekeyed": true])
    answer.say("\(file.store.printable) has the new key")
    try output.write(answer)
  }
}
#endif
