#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveClient
import VarveJSON
import VarveServer

extension SpaceCommand {
  /// `varve space backup`
  struct BackUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "backup",
      abstract: "Fetch a checked copy of a space while others write to it.",
      discussion: """
        This needs the role admin. An existing file is never replaced.

        Example:
          varve space backup http://127.0.0.1:8642/hats monday.varve
        """
    )

    @OptionGroup var address: SpaceArgument
    @Argument(help: "The new file.", completion: .file()) var target: String
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let space = RemoteSpace(address.url, token: try token.token())
      try await Progress.during("back up", "bytes") { progress in
        try await space.backUp(to: target) { progress.show($0, of: $1) }
      }
      var answer = Answer(["file": .string(target)])
      answer.say("backed up to \(target.printable)")
      try output.write(answer)
    }
  }

  /// `varve space restore`
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a space from a backup.",
      discussion: """
        The name must be unused; a server of the folder may be running. Stores that synchronised \
        with the space send it what the backup lacks. Only data that no store has any more is \
        lost.

        Example:
          varve space restore monday.varve stores/hats
        """
    )

    @Argument(help: "The file of the backup.", completion: .file()) var backup: String
    @Argument(help: "The folder that varve serve serves, and the name of the space.")
    var target: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let file = URL(fileURLWithPath: target)
      let restored = try await SpaceDirectory.restore(
        backup,
        to: file.deletingLastPathComponent().path,
        as: file.lastPathComponent
      )
      var answer = Answer(["id": .string(restored.id), "commits": .count(restored.commitCount)])
      answer.say("restored \(counted(restored.commitCount, "commit")) to \(target.printable)")
      try output.write(answer)
    }
  }
}
#endif
