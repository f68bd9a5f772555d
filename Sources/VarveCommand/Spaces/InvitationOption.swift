#if CommandLine
import ArgumentParser
import Foundation
import VarveCore

/// Where the code of an invitation is.
struct InvitationOption: ParsableArguments {
  @Option(
    help: "The file that holds the code; - is standard input. By default it is asked for.",
    completion: .file()
  )
  var codeFile: String?

  /// Returns the code: that of the file, of standard input, or typed.
  func code() throws -> String {
    if let codeFile, codeFile != "-" { return try Self.code(in: codeFile) }
    if codeFile == "-" || isatty(STDIN_FILENO) == 0 {
      return try Self.code(of: readLine(strippingNewline: true) ?? "", at: "standard input")
    }
    guard let text = try SecretPrompt.ask("Invitation code: ") else {
      throw UsageError("Give the code in a file named by --code-file, or on standard input.")
    }
    return try Self.code(of: text, at: "invitation code")
  }

  private static func code(in file: String) throws -> String {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw VarveError(
        .inputOutput,
        "the invitation code cannot be read",
        at: file,
        remedy: "Name a file that holds the code."
      )
    }
    return try code(of: String(decoding: bytes, as: UTF8.self), at: file)
  }

  private static func code(of text: String, at place: String) throws -> String {
    let code = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw VarveError(
        .invalidArgument,
        "there is not one invitation code",
        at: place,
        remedy: "Give the code alone, as varve space invite printed it."
      )
    }
    return code
  }
}
#endif
