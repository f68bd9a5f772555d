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
        session = try await Self.run(input, in: session, cancels: isTerminal)
      } catch let error as Output.Closed {
        throw error
      } catch is CancellationError {
        hasFailed = true
        Output.note("Cancelled.")
      } catch {
        hasFailed = true
        Self.note(error)
      }
    }
    terminal?.end()
    if hasFailed, !isTerminal { throw ExitCode.failure }
  }

  /// Runs what was typed, and returns the session after it. On a terminal, ^C cancels it.
  private static func run(
    _ input: ShellInput,
    in session: ShellSession,
    cancels: Bool
  ) async throws -> ShellSession {
    func run() async throws -> ShellSession {
      var session = session
      try await session.run(input)
      return session
    }
    return cancels ? try await Interruption.cancelling(run) : try await run()
  }

  /// Returns what is typed or read next; nil at the end.
  private func next(_ terminal: ShellTerminal?, _ session: ShellSession) async -> ShellInput? {
    var text = ""
    while true {
      let isFirst = text.isEmpty
      let line: String
      switch await Self.read(isFirst ? Self.prompt(session) : "   ...> ", from: terminal) {
      case .text(let read): line = read
      case .cancelled:
        // The lines before it are given up too.
        text = ""
        continue
      case .end: return isFirst ? nil : ShellInput(text)
      }
      text += (isFirst ? "" : "\n") + line
      let input = ShellInput(text)
      // An empty line gives up what is not finished.
      if case .unfinished = input, !line.isEmpty { continue }
      terminal?.keep(text)
      return input
    }
  }

  private static func read(_ prompt: String, from terminal: ShellTerminal?) async -> LineEditor.Line
  {
    if let terminal { return await terminal.line(prompt) }
    return readLine(strippingNewline: true).map(LineEditor.Line.text) ?? .end
  }

  /// The prompt, with the past state as it was named. A narrow terminal keeps room for the line.
  private static func prompt(_ session: ShellSession) -> String {
    guard let label = session.label else { return "varve> " }
    let room = min(24, (Output.columns ?? 80) / 3)
    return "varve (\(label.printable.truncated(toDisplayWidth: max(4, room))))> "
  }

  /// Writes an error, or the help that was asked for, to standard error.
  private static func note(_ error: any Error) {
    if error is ExitCode { return }
    let message = VarveCommand.message(for: error)
    switch VarveCommand.exitCode(for: error) {
    case .success: Output.note(message)
    case .validationFailure: Output.note("Error: \(message.printableLines)")
    default:
      let failure = Failure(error, saysCause: true)
      VarveCommand.note(failure.rewording(remedy: ServerRemedies.inCommands))
    }
  }
}
#endif
