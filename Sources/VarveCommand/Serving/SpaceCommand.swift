#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveClient
import VarveJSON

/// `varve space`
struct SpaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space",
    abstract: "List, create, end, back up and restore the spaces of a server.",
    discussion: """
      A space is a store of the folder that varve serve serves. VARVE_TOKEN, or a file named by \
      --token-file, holds the token that the server asks for.

      Examples:
        varve space list http://127.0.0.1:8642
        varve space create http://127.0.0.1:8642/hats
        varve space backup http://127.0.0.1:8642/hats monday.varve
        varve space restore monday.varve stores/hats
      """,
    subcommands: [List.self, Create.self, End.self, BackUp.self, Restore.self]
  )

  /// `varve space list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the spaces that the token is for.",
      discussion: """
        Example:
          varve space list http://127.0.0.1:8642
        """
    )

    @Argument(help: "The address of the server.") var server: String
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let spaces = try await RemoteServer(server, token: try token.token()).spaces()
      var answer = Answer(
        .array(
          spaces.map {
            ["name": .string($0.name), "id": .string($0.id), "role": .optional($0.role)]
          }
        )
      )
      var table = Table("name", "role", "id")
      for space in spaces { table.add(space.name, space.role ?? "", space.id) }
      if spaces.isEmpty { answer.say("no spaces") } else { answer.show(table) }
      answer.tabulate(table)
      try output.write(answer)
    }
  }

  /// `varve space create`
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a space, unless there is one with the name.",
      discussion: """
        This needs a token of an operator.

        Example:
          varve space create http://127.0.0.1:8642/hats
        """
    )

    @OptionGroup var space: SpaceArgument
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let made = try await space.server(try token.token()).createSpace(space.name)
      var answer = Answer(["name": .string(made.name), "id": .string(made.id)])
      answer.say("\(made.name.printable): \(made.id.printable)")
      try output.write(answer)
    }
  }

  /// `varve space end`
  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a space and remove its files.",
      discussion: """
        Copies keep their data, but can no longer synchronise through this space. The id, which varve space \
        list shows, makes sure that no other space is ended by mistake. This needs the role admin.

        Example:
          varve space end http://127.0.0.1:8642/hats --id 0198f2a4-7c1e-4d3b-9a55-3f6f2f8f0a11
        """
    )

    @OptionGroup var space: SpaceArgument
    @Option(help: "The id of the space.") var id: String
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let receipt = try await space.server(try token.token()).endSpace(space.name, id: id)
      var answer = Answer([
        "name": .string(receipt.name), "id": .string(receipt.id),
        "commits": .count(receipt.commits), "time": .string(receipt.time),
        "by": .optional(receipt.by),
      ])
      answer.say("ended \(receipt.name.printable), which had \(counted(receipt.commits, "commit"))")
      try output.write(answer)
    }
  }
}
#endif
