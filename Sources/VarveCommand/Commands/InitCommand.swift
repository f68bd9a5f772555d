#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// `varve init`
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create an empty store.",
    discussion: """
      Does nothing if the file already is a store.

      With a key, of VARVE_KEY, --key-file or typed after --encrypt, the store is encrypted.

      Example:
        varve init hats.varve
      """
  )

  @OptionGroup var file: StoreFile
  @Flag(help: "Encrypt the store; the key is asked for unless it is given.") var encrypt = false
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let isNew = FileStatus(file.store) == nil
    var configuration = Store.Configuration()
    if encrypt, isNew { try StoreKeys.makeKey() }
    configuration.key = StoreKeys.typed
    let replica = try await Store.using(file.store, configuration) { store in
      try await store.replica()
    }
    var answer = Answer([
      "store": .string(file.store), "created": .bool(isNew), "replica": .string(replica.text),
    ])
    answer.say(
      isNew ? "created \(file.store.printable)" : "\(file.store.printable) already is a store"
    )
    answer.say("replica \(replica)")
    try output.write(answer)
  }
}
#endif
