#if CommandLine
import Foundation

/// The program that shows what is longer than the terminal.
///
/// `VARVE_PAGER` names it, else `PAGER`, else it is `less`. An empty name means none. Without the
/// program, or outside a terminal, the text is written as it is.
enum Pager {
  /// Writes lines to standard output, through the pager if they do not fit the terminal.
  static func show(_ text: String) throws {
    guard let rows = Output.rows, text.utf8.count(where: { $0 == 0x0A }) + 1 >= rows,
      let command, let program = try? start(command)
    else { return try Output.line(text) }
    // ^C ends what the pager does, and not this command.
    let former = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, former) }
    let input = program.standardInput as? Pipe
    // A pager that is quit early has closed its input.
    try? input?.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
    try? input?.fileHandleForWriting.close()
    program.waitUntilExit()
    // The shell has its own way to say that there is no such program.
    if program.terminationStatus == 127 { try Output.line(text) }
  }

  private static var command: String? {
    let environment = ProcessInfo.processInfo.environment
    let command = environment["VARVE_PAGER"] ?? environment["PAGER"] ?? "less"
    return command.isEmpty ? nil : command
  }

  private static func start(_ command: String) throws -> Process {
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/bin/sh")
    program.arguments = ["-c", command]
    var environment = ProcessInfo.processInfo.environment
    // Shows styles, leaves short texts on the screen, and cuts long lines; as git does.
    if environment["LESS"] == nil { environment["LESS"] = "FRSX" }
    program.environment = environment
    program.standardInput = Pipe()
    try program.run()
    return program
  }
}
#endif
