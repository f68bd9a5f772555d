#if CommandLine
import ArgumentParser

/// Where the code of an invitation is.
struct InvitationOption: ParsableArguments {
  @Option(
    help: "The file that holds the code; - is standard input. By default it is asked for.",
    completion: .file()
  )
  var codeFile: String?

  /// Returns the code: that of the file, of standard input, or typed.
  func code() throws -> String {
    try PrintedText(
      noun: "invitation code",
      option: "--code-file",
      source: "varve space invite"
    ).read(codeFile)
  }
}

/// Where the recovery key of a space is.
struct RecoveryKeyOption: ParsableArguments {
  @Option(
    help: "The file that holds the recovery key; - is standard input. By default it is asked for.",
    completion: .file()
  )
  var recoveryKeyFile: String?

  /// Returns the key: that of the file, of standard input, or typed.
  func recoveryKey() throws -> String {
    try PrintedText(
      noun: "recovery key",
      option: "--recovery-key-file",
      source: "varve space seal"
    ).read(recoveryKeyFile)
  }
}
#endif
