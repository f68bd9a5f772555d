#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarvePostgres
import VarveServer

/// `varve token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make, list and revoke the tokens of a server.",
    discussion: """
      A token lets its bearer call varve serve. The folder keeps a hash of it, in tokens.jsonl; the \
      token itself is printed once. A running server notices every change. With the URL of a home \
      in place of the folder, the token is for all hosts that serve the home.

      Examples:
        varve token create laptop --in . --grant hats=writer --subject ben
        varve token list --in .
      """,
    subcommands: [Create.self, List.self, Revoke.self]
  )

  /// `varve token create`
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a token and print it.",
      discussion: """
        Roles are reader, writer and admin; an admin may also purge, compact and end the space. \
        --operator lets the bearer create spaces.

        Example:
          varve token create laptop --in stores --grant hats=writer --subject ben
        """
    )

    @Argument(help: "The name by which the token is listed and revoked.") var name: String
    @OptionGroup var folder: TokenArguments
    @Option(
      help: ArgumentHelp("A role in a space, or in every space with *.", valueName: "space=role"),
      transform: Grant.parse
    )
    var grant: [Grant] = []
    @Option(help: "The author of the bearer's writes; the name by default.") var subject: String?
    @Option(
      help: ArgumentHelp("The time at which the token expires.", valueName: "date"),
      transform: DateArgument.parse
    )
    var expires: Date?
    @Flag(help: "Let the bearer create spaces.") var `operator` = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if grant.isEmpty, !self.operator { throw UsageError("Add --grant or --operator.") }
      if let expires, expires <= Date() { throw UsageError("--expires must be in the future.") }
    }

    func run() async throws {
      let grants = Dictionary(grant.map { ($0.space, $0.role) }) { max($0, $1) }
      let principal = Principal(
        subject: subject ?? name,
        grants: grants,
        isOperator: self.operator
      )
      let token = try await folder.use {
        try await $0.create(name, for: principal, expiry: expires)
      }
      var answer = Answer(["name": .string(name), "token": .string(token)])
      answer.say(token)
      try output.write(answer)
    }
  }

  /// `varve token list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the tokens.",
      discussion: """
        Example:
          varve token list --in stores
        """
    )

    @OptionGroup var folder: TokenArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let (entries, fault) = try await folder.use { try await $0.entries() }
      var answer = Answer(.array(entries.map(\.json)))
      if let fault {
        answer.note([
          ([fault.message] + [fault.place].compactMap(\.self)).joined(separator: ", at ")
        ])
      }
      var table = Table("name", "subject", "grants", "operator", "expires")
      for entry in entries {
        let grants = entry.principal.grants.sorted { $0.key < $1.key }
        table.add(
          entry.name,
          entry.principal.subject ?? "",
          grants.map { "\($0.key)=\($0.value.rawValue)" }.joined(separator: ", "),
          entry.principal.isOperator ? "yes" : "",
          entry.expiry.flatMap { DateWriter.exact($0) } ?? ""
        )
      }
      if entries.isEmpty { answer.say("no tokens") } else { answer.show(table) }
      answer.tabulate(table)
      try output.write(answer)
    }
  }

  /// `varve token revoke`
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a token.",
      discussion: """
        Example:
          varve token revoke laptop --in stores
        """
    )

    @Argument(help: "The token's name.") var name: String
    @OptionGroup var folder: TokenArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard try await folder.use({ try await $0.revoke(name) }) else {
        throw VarveError(
          .notFound,
          "there is no token \"\(name)\"",
          at: "token \(name)",
          remedy: "varve token list lists the tokens."
        )
      }
      var answer = Answer(["revoked": .string(name)])
      answer.say("revoked \(name.printable)")
      try output.write(answer)
    }
  }
}

/// The folder whose tokens a command is about.
struct TokenArguments: ParsableArguments {
  @Option(name: .customLong("in"), help: "The folder or the home that varve serve serves.")
  var directory: String

  /// Calls a closure with the place of the tokens.
  func use<Result>(_ body: (TokenPlace) async throws -> Result) async throws -> Result {
    guard HomeCommand.isHome(directory) else { return try await body(.folder(directory)) }
    let home = try await PostgresHome(directory)
    let result: Result
    do {
      result = try await body(.home(home))
    } catch {
      await home.close()
      throw error
    }
    await home.close()
    return result
  }
}

/// A role in a space, as `space=role`.
struct Grant: Sendable {
  let space: String
  let role: Role

  @Sendable static func parse(_ text: String) throws -> Grant {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let role = Role(rawValue: String(parts[1])) else {
      throw UsageError("write a grant as space=reader, space=writer or space=admin")
    }
    return Grant(space: String(parts[0]), role: role)
  }
}
#endif
