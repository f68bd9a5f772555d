#if CommandLine && Server
import ArgumentParser
import VarveCore
import VarveJSON
import VarveServer

/// `varve webhook`
struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Add, list and remove the webhooks of a server.",
    discussion: """
      A webhook is an address to which varve serve sends what each transaction changed: signed, in \
      order, and at least once. A running server notices every change. Of several hosts of one \
      PostgreSQL, the one in whose cache folder the webhook was added delivers what any of them writes.

      Examples:
        varve webhook add shop --in . --url https://example.com/hook --space hats
        varve webhook list --in .
        varve webhook dead --in .
      """,
    subcommands: [Add.self, List.self, Dead.self, Remove.self]
  )

  /// `varve webhook add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a webhook and print its secret.",
      discussion: """
        It receives the changes made after it was added.

        Example:
          varve webhook add shop --in stores --url https://example.com/hook --space hats
        """
    )

    @Argument(help: "The name by which the webhook is listed and removed.") var name: String
    @OptionGroup var folder: WebhookArguments
    @Option(help: "The address to which changes are sent.") var url: String
    @Option(help: "A space whose changes are sent; * for every space.") var space: [String]
    @Flag(help: "Permit an address of this computer or of a private network.") var `private` = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let webhook = Webhook(
        name: name,
        url: url,
        spaces: Set(space),
        allowsPrivateAddresses: self.private
      )
      try webhook.requirePublicAddress()
      try await folder.webhooks.add(webhook)
      var answer = Answer(["name": .string(name), "secret": .string(webhook.secret)])
      answer.say(webhook.secret)
      answer.note(
        folder.webhooks.absentSpaces(of: webhook).map {
          "there is no space \($0.inQuotes) in \(folder.directory) yet"
        }
      )
      try output.write(answer)
    }
  }

  /// `varve webhook list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the webhooks, and what became of their deliveries.",
      discussion: """
        Example:
          varve webhook list --in stores
        """
    )

    @OptionGroup var folder: WebhookArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let webhooks = try folder.webhooks.webhooks()
      var table = Table("name", "url", "space", "delivered", "dead", "failing")
      var items: [JSON] = []
      for webhook in webhooks {
        let states = folder.webhooks.states(of: webhook)
        items.append([
          "name": .string(webhook.name), "url": .string(webhook.url),
          "spaces": .array(webhook.spaces.sorted().map { .string($0) }),
          "private": .bool(webhook.allowsPrivateAddresses), "states": .array(states.map(\.json)),
        ])
        for state in states {
          table.add(
            webhook.name,
            webhook.url,
            state.space,
            "\(state.deliveredCount)",
            "\(state.deadCount)",
            state.failureCount > 0 ? state.error ?? "" : ""
          )
        }
        if states.isEmpty {
          let spaces = webhook.spaces.sorted().joined(separator: ", ")
          table.add(webhook.name, webhook.url, spaces, "0", "0", "")
        }
      }
      var answer = Answer(.array(items))
      if webhooks.isEmpty { answer.say("no webhooks") } else { answer.show(table) }
      answer.tabulate(table)
      try output.write(answer)
    }
  }

  /// `varve webhook dead`
  struct Dead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the events that were given up, oldest first.",
      discussion: """
        Example:
          varve webhook dead --in stores
        """
    )

    @OptionGroup var folder: WebhookArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let letters = try folder.webhooks.deadLetters()
      var answer = Answer(.array(letters))
      var table = Table("time", "webhook", "space", "delivery", "error")
      for letter in letters {
        table.add(
          ["time", "webhook", "space", "delivery", "error"].map { name in
            if case .string(let text)? = letter[name] { text } else { "" }
          }
        )
      }
      if letters.isEmpty { answer.say("no dead letters") } else { answer.show(table) }
      answer.tabulate(table)
      try output.write(answer)
    }
  }

  /// `varve webhook remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a webhook.",
      discussion: """
        Example:
          varve webhook remove shop --in stores
        """
    )

    @Argument(help: "The webhook's name.") var name: String
    @OptionGroup var folder: WebhookArguments
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard try folder.webhooks.remove(name) else {
        throw VarveError(
          .notFound,
          "there is no webhook \"\(name)\"",
          at: folder.directory,
          remedy: "varve webhook list lists the webhooks."
        )
      }
      var answer = Answer(["removed": .string(name)])
      answer.say("removed \(name.printable)")
      try output.write(answer)
    }
  }
}

/// The folder whose webhooks a command is about.
struct WebhookArguments: ParsableArguments {
  @Option(name: .customLong("in"), help: "The folder that varve serve serves.")
  var directory: String

  var webhooks: WebhookFolder { WebhookFolder(directory) }
}
#endif
