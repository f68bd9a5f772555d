#if CommandLine
import ArgumentParser
import Foundation
import VarveCore

/// The token that a server asks for.
struct TokenOption: ParsableArguments {
  @Option(help: "The file of the server's token.", completion: .file()) var tokenFile: String?

  /// Returns the token of the file, or of the environment; nil if there is none.
  func token() throws -> String? {
    guard let tokenFile else { return ProcessInfo.processInfo.environment["VARVE_TOKEN"] }
    guard let bytes = FileManager.default.contents(atPath: tokenFile) else {
      throw VarveError(
        .inputOutput,
        "the token cannot be read",
        at: tokenFile,
        remedy: "Name a file that holds the token."
      )
    }
    let token = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw VarveError(
        .invalidArgument,
        "the file does not hold one token",
        at: tokenFile,
        remedy: "Write the token alone into the file, as it was printed."
      )
    }
    return token
  }
}
#endif
