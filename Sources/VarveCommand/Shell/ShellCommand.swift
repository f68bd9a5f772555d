#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON

/// `varve shell`
struct ShellCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Work with a store line by line: SQL, commands, and travel in time.",
    discussion: """
      Commands are those of varve, without the store. SQL ends with a semicolon. After .at \
      with a date, commands read the state of then; a year or a month stands for its end. .help lists everything. On a \
      terminal, the arrow keys edit the line and find earlier ones, and the tab key completes \
      commands, types, keys and identifiers. The store is open only while a command runs, so others \
      can write meanwhile.

      From a pipe, the lines are run one after another, and the command fails in the end if one of \
      them failed.

      Examples:
        varve shell hats.varve
        echo 'SELECT count(*) FROM Hat;' | varve shell hats.varve
        printf '%s\\n' '.at 2018' 'list Hat --count' | varve shell hats.varve
      """
  )

  @OptionGroup var file: StoreFile

  func run() async throws {
    // A wrong name fails before the first line.
    try await file.use(readOnly: true) { _ in }
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let terminal = isTerminal ? ShellTerminal(file.store) : nil
    var session = ShellSession(file.store)
    var hasFailed = false
    while !session.isOver, let input = await next(terminal, session) {
      do {
        try await session.run(input)
      } catch let error as Output.Closed {
        throw error
      } catch {
        hasFailed = true
        Self.note(error)
      }
    }
    terminal?.end()
    if hasFailed, !isTerminal { throw ExitCode.failure }
  }

  /// Returns what is typed or read next; nil at the end.
  private func next(_ terminal: ShellTerminal?, _ session: ShellSession) async -> ShellInput? {
    var text = ""
    while true {
      let isFirst = text.isEmpty
      let line =
        if let terminal {
          await terminal.line(isFirst ? Self.prompt(session) : "   ...> ")
        } else {
          readLine(strippingNewline: true)
        }
      guard let line else { return isFirst ? nil : ShellInput(text) }
      text += (isFirst ? "" : "\n") + line
      let input = ShellInput(text)
      // An empty line gives up what is not finished.
      if case .unfinished = input, !line.isEmpty { continue }
      terminal?.keep(text)
      return input
    }
  }

  private static func prompt(_ session: ShellSession) -> String {
    session.moment.map { "varve (\($0))> " } ?? "varve> "
  }

  /// Writes an error, or the help that was asked for, to standard error.
  private static func note(_ error: any Error) {
    if error is ExitCode { return }
    let message = VarveCommand.message(for: error)
    switch VarveCommand.exitCode(for: error) {
    case .success: Output.note(message)
    case .validationFailure: Output.note("Error: \(message)")
    default:
      let failure = Failure(error, saysCause: true)
      VarveCommand.note(failure.rewording(remedy: ServerRemedies.inCommands))
    }
  }
}
#endif
