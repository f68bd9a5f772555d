#if CommandLine && Server
import ArgumentParser
import VarveClient
import VarveJSON
import VarveServer

/// `varve grant`
struct GrantCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grant",
    abstract: "Grant, list and revoke roles of people with signed tokens.",
    discussion: """
      A server that accepts JSON Web Tokens keeps a role in a space for each subject. It counts for \
      tokens that state no grants themselves. This needs the role admin in the space; VARVE_TOKEN, or \
      a file named by --token-file, holds the caller's token.

      Examples:
        varve grant add http://127.0.0.1:8642/hats ben --role writer
        varve grant list http://127.0.0.1:8642/hats
        varve grant revoke http://127.0.0.1:8642/hats ben
      """,
    subcommands: [Add.self, List.self, Revoke.self]
  )

  /// `varve grant add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Grant a subject a role, in place of the one it has.",
      discussion: """
        Roles are reader, writer and admin. The grant ends with the space.

        Example:
          varve grant add http://127.0.0.1:8642/hats ben --role writer
        """
    )

    @OptionGroup var space: SpaceArgument
    @Argument(help: "The subject, as its tokens name it.") var subject: String
    @Option(help: "The role: reader, writer or admin.", transform: GrantCommand.role)
    var role: Role
    @OptionGroup var issuer: IssuerOption
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let space = RemoteSpace(space.url, token: try token.token())
      let grant = try await space.grant(role.rawValue, to: subject, of: issuer.issuer)
      var answer = Answer(grant.json)
      answer.say("\(grant.subject.printable) is \(grant.role.printable)")
      try output.write(answer)
    }
  }

  /// `varve grant list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the roles that the server keeps for a space.",
      discussion: """
        Example:
          varve grant list http://127.0.0.1:8642/hats
        """
    )

    @OptionGroup var space: SpaceArgument
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let grants = try await RemoteSpace(space.url, token: try token.token()).grants()
      var answer = Answer(.array(grants.map(\.json)))
      var table = Table("subject", "issuer", "role", "by", "time")
      for grant in grants {
        table.add(grant.subject, grant.issuer, grant.role, grant.by ?? "", grant.time)
      }
      if grants.isEmpty { answer.say("no grants") } else { answer.show(table) }
      answer.tabulate(table)
      try output.write(answer)
    }
  }

  /// `varve grant revoke`
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke the role of a subject.",
      discussion: """
        Open streams of the subject end within about a second.

        Example:
          varve grant revoke http://127.0.0.1:8642/hats ben
        """
    )

    @OptionGroup var space: SpaceArgument
    @Argument(help: "The subject, as its tokens name it.") var subject: String
    @OptionGroup var issuer: IssuerOption
    @OptionGroup var token: TokenOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let space = RemoteSpace(space.url, token: try token.token())
      let grant = try await space.revokeGrant(of: subject, issuer: issuer.issuer)
      var answer = Answer(grant.json)
      answer.say("revoked \(grant.role.printable) of \(grant.subject.printable)")
      try output.write(answer)
    }
  }

  @Sendable private static func role(_ text: String) throws -> Role {
    guard let role = Role(rawValue: text) else {
      throw UsageError("write the role as reader, writer or admin")
    }
    return role
  }
}

/// Who signs a subject's tokens.
struct IssuerOption: ParsableArguments {
  @Option(help: "Who signs the tokens; the issuer that the server accepts by default.")
  var issuer: String?
}

extension RemoteSpace.Grant {
  /// The grant as a result of a command.
  fileprivate var json: JSON {
    [
      "subject": .string(subject), "issuer": .string(issuer), "role": .string(role),
      "by": .optional(by), "time": .string(time),
    ]
  }
}
#endif
