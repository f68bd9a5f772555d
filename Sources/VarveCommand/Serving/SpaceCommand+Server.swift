#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveClient
import VarveCore
import VarveJSON
import VarveSealed
import VarveStore

// The spaces of a server.
extension SpaceCommand {
  static let onServers: [any ParsableCommand.Type] = [
    List.self, Create.self, End.self, BackUp.self, Restore.self,
  ]

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

        With --relay, the space keeps the sealed space of a store for its members, and the server reads \
        nothing of it. The members synchronise their stores with it.

        Examples:
          varve space create http://127.0.0.1:8642/hats
          varve space create http://127.0.0.1:8642/team --relay team.varve
        """
    )

    @OptionGroup var space: SpaceArgument
    @Option(help: "The store whose sealed space it keeps.", completion: .file()) var relay: String?
    @OptionGroup var key: KeyOption
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let server = space.server(try token.token())
      let made: RemoteServer.Listing
      if let relay {
        made = try await server.createRelay(space.name, of: try await Self.sealedSpace(of: relay))
      } else {
        made = try await server.createSpace(space.name)
      }
      var answer = Answer(["name": .string(made.name), "id": .string(made.id)])
      answer.say("\(made.name.printable): \(made.id.printable)")
      if let relay {
        answer.say("synchronise with it first:")
        answer.say("varve sync \(relay.printable) \(space.url.printable)")
      }
      try output.write(answer)
    }

    private static func sealedSpace(of path: String) async throws -> SpaceID {
      var configuration = Store.Configuration()
      configuration.createsIfMissing = false
      configuration.isReadOnly = true
      return try await Store.using(path, configuration) { store in
        try await store.requireSealed(at: path)
        guard let space = try await store.membership().space else {
          throw Store.isNotAdmitted(at: path)
        }
        return space
      }
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
