#if CommandLine
import ArgumentParser
import Foundation
import VarveCore

/// A secret that a command printed for people, and that another command reads: never from its arguments,
/// which other users of the computer can read.
struct PrintedText {
  /// What it is, such as "invitation code".
  let noun: String
  /// The option that names its file.
  let option: String
  /// The command that printed it.
  let source: String

  /// Returns the text of a file, or of standard input if the file is `-` or the input is no terminal;
  /// otherwise asks for it.
  func read(_ file: String?) throws -> String {
    if let file, file != "-" { return try content(of: file) }
    if file == "-" || isatty(STDIN_FILENO) == 0 {
      return try checked(readLine(strippingNewline: true) ?? "", at: "standard input")
    }
    let prompt = noun.prefix(1).uppercased() + noun.dropFirst() + ": "
    guard let text = try SecretPrompt.ask(prompt) else {
      throw UsageError(
        "Give the \(noun) in a file named by \(option), or on standard input."
      )
    }
    return try checked(text, at: noun)
  }

  private func content(of file: String) throws -> String {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw VarveError(
        .inputOutput,
        "the \(noun) cannot be read",
        at: file,
        remedy: "Name a file that holds it."
      )
    }
    return try checked(String(decoding: bytes, as: UTF8.self), at: file)
  }

  private func checked(_ text: String, at place: String) throws -> String {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw VarveError(
        .invalidArgument,
        "there is not one \(noun)",
        at: place,
        remedy: "Give it alone, as \(source) printed it."
      )
    }
    return text
  }
}
#endif
