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

      Example:
        varve init hats.varve
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let isNew = FileStatus(file.store) == nil
    let replica = try await Store.using(file.store, Store.Configuration()) { store in
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
