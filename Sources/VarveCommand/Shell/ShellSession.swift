#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// A session with one store, at one state. It opens the store for each command, so that it holds no
/// lock while it waits for the next one.
struct ShellSession {
  let store: String
  /// The state that is read, as `--as-of` takes it; nil for the present.
  private(set) var moment: String?
  /// The state as it was typed; nil for the present.
  private(set) var label: String?
  /// Whether the session is to end.
  private(set) var isOver = false

  init(_ store: String) { self.store = store }

  /// The commands of a session, with their help.
  static let sessionCommands: [(name: String, help: String)] = [
    ("at", ".at MOMENT       read a past state: a date, a year, a commit; .at now for the present"),
    ("types", ".types           list the types"),
    ("schema", ".schema [TYPE]   list the names of types or keys in SQL"),
    ("help", ".help [COMMAND]  show this, or the help of a command"),
    ("quit", ".quit            end the session; so does ^D"),
  ]

  /// The commands of `varve` whose first argument is the store.
  static let commands: [any ParsableCommand.Type] = VarveCommand.configuration.subcommands
    .filter { command in
      !outside.contains(command._commandName) && command.helpMessage().contains("<store>")
    }

  /// Commands that make no sense in a session: they make a store, read standard input, or do not end.
  private static let outside: Set<String> = ["demo", "init", "shell", "batch", "inspect"]

  /// Runs what was typed.
  ///
  /// - Throws: what the command throws; ``UsageError`` for what is not understood.
  mutating func run(_ input: ShellInput) async throws {
    switch input {
    case .nothing: return
    case .unfinished: throw UsageError("A statement has no semicolon, or a quote is not closed.")
    case .sql(let sql): try await run(["query", "--", sql])
    case .command(let words): try await run(words)
    case .session(let name, let argument): try await runSession(name, argument)
    }
  }

  private mutating func runSession(_ name: String, _ argument: String) async throws {
    switch name {
    case "at": try await go(to: argument)
    case "types":
      try refuse(argument, after: name)
      try await run(["list"])
    case "schema": try await run(["schema"] + ShellWords(argument).words)
    case "help": try help(on: argument)
    case "quit", "exit":
      try refuse(argument, after: name)
      isOver = true
    default:
      let nearest = NearestName.of(name, among: Self.sessionCommands.map(\.name))
      let hint = nearest.map { " Perhaps it is .\($0)." } ?? " .help lists what there is."
      throw UsageError("There is no command \".\(name)\".\(hint)")
    }
  }

  private func refuse(_ argument: String, after name: String) throws {
    guard argument.isEmpty else { throw UsageError(".\(name) takes no words.") }
  }

  /// Reads another state from now on, if there is one of the name.
  private mutating func go(to name: String) async throws {
    guard !name.isEmpty else { return try Output.line((moment ?? "now").printable) }
    guard name != "now" else {
      (moment, label) = (nil, nil)
      return
    }
    let state = ShellMoment.expanded(name)
    let moment = try ShellMoment.parse(state)
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    try await Store.using(store, configuration) { store in
      let moment = try await moment.moment(in: store)
      try await store.asOf(moment).read { _ = try await $0.types() }
    }
    (self.moment, label) = (state, name)
    if state != name { try Output.line("at \(state.printable)") }
  }

  private func help(on name: String) throws {
    guard name.isEmpty else {
      return try Output.line(try command(named: name).helpMessage(columns: Output.columns))
    }
    let names = Self.commands.map { $0._commandName }.joined(separator: ", ")
    let own = Self.sessionCommands.map(\.help).joined(separator: "\n")
    try Output.line(
      """
      SELECT …;        read by SQL; a statement ends with a semicolon
      COMMAND …        a command of varve, without the store: list Hat --where 'size>10'
      \(own)

      Commands: \(names)
      """
    )
  }

  // MARK: Commands

  private func command(named name: String) throws -> any ParsableCommand.Type {
    if let found = Self.commands.first(where: { $0._commandName == name }) { return found }
    let nearest = NearestName.of(name, among: Self.commands.map { $0._commandName })
    let hint = nearest.map { " Perhaps it is \"\($0)\"." } ?? " .help lists what there is."
    throw UsageError("There is no command \"\(name)\" in a session.\(hint)")
  }

  private func run(_ words: [String]) async throws {
    var command = try parsed(words)
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  }

  /// Returns the command of some words, with the store and the state added.
  private func parsed(_ words: [String]) throws -> any ParsableCommand {
    let name = words.first ?? ""
    let command = try command(named: name)
    var options: [String] = []
    if let moment, !words.contains("--as-of") {
      guard command.helpMessage().contains("--as-of") else {
        throw UsageError("\(name) is for the present. Type .at now first.")
      }
      options = ["--as-of", moment]
    }
    return try VarveCommand.parseAsRoot([name, store] + options + words.dropFirst())
  }
}
#endif
