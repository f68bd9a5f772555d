#if CommandLine
import Foundation

/// The program that shows what is longer than the terminal.
///
/// `VARVE_PAGER` names it, else `PAGER`, else it is `less`. An empty name means none. Without the
/// program, or outside a terminal, the text is written as it is.
enum Pager {
  /// Writes lines to standard output, through the pager if they do not fit the terminal.
  static func show(_ text: String) throws {
    guard let rows = Output.rows, text.utf8.count(where: { $0 == 0x0A }) + 1 >= rows, let command,
      let pager = popen(Self.script(command), "w")
    else { return try Output.line(text) }
    // ^C ends what the pager does, and not this command.
    let former = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, former) }
    // A pager that is quit early has closed its input.
    fputs(text + "\n", pager)
    // The shell has its own way to say that there is no such program, and leaves it in the high byte.
    if pclose(pager) >> 8 == 127 { try Output.line(text) }
  }

  private static var command: String? {
    let environment = ProcessInfo.processInfo.environment
    let command = environment["VARVE_PAGER"] ?? environment["PAGER"] ?? "less"
    return command.isEmpty ? nil : command
  }

  /// Returns what a shell runs. It is in this process's group: the terminal stops programs of another
  /// one that read keys. Without settings, less shows styles, leaves short texts on the screen, and
  /// cuts long lines, as it does for git.
  private static func script(_ command: String) -> String {
    "export LESS=\"${LESS-FRSX}\"\n\(command)"
  }
}
#endif
