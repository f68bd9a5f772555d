#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The command line of Varve.
@main
struct VarveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "varve",
    abstract: "An object store in which nothing is ever overwritten.",
    discussion: """
      Every value that a property ever had stays readable, with the time and the author of the \
      change.

      Examples:
        varve demo
        varve init hats.varve
        varve set hats.varve hat-1 --type Hat color=red size:=12 --author sam
        varve set hats.varve hat-1 color=blue --author ana
        varve history hats.varve hat-1 color
        varve list hats.varve Hat --where 'size>10' --order -size
      """,
    version: "varve \(VarveVersion.text)",
    groupedSubcommands: [
      CommandGroup(name: "Start", subcommands: [DemoCommand.self, InitCommand.self]),
      CommandGroup(
        name: "Read",
        subcommands: [
          GetCommand.self, ListCommand.self, QueryCommand.self, SchemaCommand.self,
          ShellCommand.self, HistoryCommand.self, LogCommand.self, TimelineCommand.self,
          DiffCommand.self, ConflictsCommand.self, IssuesCommand.self, StatsCommand.self,
          ReplicasCommand.self,
        ]
      ),
      CommandGroup(
        name: "Write",
        subcommands: [
          SetCommand.self, CreateCommand.self, UpsertCommand.self, UpdateCommand.self,
          RemoveCommand.self, RelateCommand.self, UnrelateCommand.self, EraseCommand.self,
          RestoreCommand.self, UndoCommand.self, PurgeCommand.self, ResolveCommand.self,
          BatchCommand.self,
        ]
      ),
      CommandGroup(
        name: "Exchange",
        subcommands: [
          SyncCommand.self, SpaceCommand.self, ExportCommand.self, LoadCommand.self,
          ImportCommand.self,
        ]
      ),
      CommandGroup(
        name: "Keep",
        subcommands: [
          BackupCommand.self, RekeyCommand.self, IndexCommand.self, MergeCommand.self,
          RetireCommand.self,
          CheckCommand.self,
          RebuildCommand.self,
          CompactCommand.self,
          CompletionsCommand.self,
        ]
      ),
    ] + ServeCommands.groups
  )

  /// Runs the command of the arguments and ends the process with 0 for success, 1 for failure or 64
  /// for a usage error.
  static func main() async {
    StandardStreams.prepare()
    var parsed: (any ParsableCommand)?
    do {
      try StandardStreams.refuseArgumentsThatAreNoText()
      try refuseHelpOnNothing()
      try refuseUnknownCommand()
      var command = try parseAsRoot()
      parsed = command
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as UsageError where parsed != nil && !isJSONAsked {
      // The parser is done, and would print the usage of `varve` itself.
      let name = parsed.flatMap { type(of: $0).configuration.commandName } ?? ""
      let usage = parsed.map { usageString(for: type(of: $0)) } ?? usageString()
      Output.note(
        "Error: \(error.message.printableLines)\nUsage: \(usage)\n  See 'varve \(name) --help' for more information."
      )
      exit(withError: ExitCode.validationFailure)
    } catch {
      end(with: error, asJSON: isJSONAsked)
    }
  }

  /// Throws if `varve help` names an unknown command, for which the parser would print the general
  /// help.
  private static func refuseHelpOnNothing() throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.first == "help", let name = words.dropFirst().first, !name.hasPrefix("-") else {
      return
    }
    let names = ["help"] + configuration.subcommands.compactMap { $0.configuration.commandName }
    guard names.contains(name) else {
      throw UsageError("There is no command \"\(name)\".")
    }
  }

  /// Throws if the first words name no command, for which the parser would not name the nearest.
  private static func refuseUnknownCommand() throws {
    var parent = configuration
    for word in CommandLine.arguments.dropFirst() {
      let names = parent.subcommands.map { ($0, $0._commandName) }
      guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
      guard let (command, _) = names.first(where: { $0.1 == word }) else {
        try ServeCommands.refuse(word)
        let nearest = NearestName.of(word, among: names.map(\.1))
        let hint = nearest.map { " Perhaps it is \"\($0)\"." } ?? ""
        throw UsageError("There is no command \"\(word)\".\(hint)")
      }
      parent = command.configuration
    }
  }

  /// Whether the arguments include `--json`.
  private static var isJSONAsked: Bool {
    CommandLine.arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Writes an error for people to standard error.
  static func note(_ failure: Failure) {
    let text = failure.text.printable
    let mark = "varve: error:"
    let isMarked = text.hasPrefix(mark)
    Output.note(
      isMarked
        ? Style.red(mark, on: STDERR_FILENO) + text.dropFirst(mark.count) : text
    )
  }

  private static func end(with error: any Error, asJSON: Bool) -> Never {
    if error is Output.Closed { exit(withError: ExitCode.success) }
    let isUsage = exitCode(for: error) == .validationFailure
    if isUsage, asJSON {
      try? Output.documents(Failure(usage: message(for: error)).json.text + "\n")
      exit(withError: ExitCode.validationFailure)
    }
    if isUsage {
      Output.note(fullMessage(for: error).printableLines)
      exit(withError: ExitCode.validationFailure)
    }
    if error is ExitCode || exitCode(for: error) == .success { exit(withError: error) }
    let failure = Failure(error, saysCause: true).rewording(remedy: ServerRemedies.inCommands)
    if asJSON { try? Output.documents(failure.json.text + "\n") } else { note(failure) }
    exit(withError: ExitCode.failure)
  }
}
#endif
