#if CommandLine
import ArgumentParser

/// Where the key of a command's stores is.
struct KeyOption: ParsableArguments {
  @Option(
    help: "The file that holds the store's key; VARVE_KEY has it by default.",
    completion: .file()
  )
  var keyFile: String?

  /// Notes the file. Its key opens every store of the command, and of a shell's lines.
  func validate() throws {
    if let keyFile { StoreKeys.keyFile = keyFile }
  }
}

/// Where a new key is, which a store or a copy is to have.
struct NewKeyOption: ParsableArguments {
  @Option(
    help: "The file that holds the new key; VARVE_NEW_KEY has it by default.",
    completion: .file()
  )
  var newKeyFile: String?
}

/// Where the key of a command's other store is.
struct OtherKeyOption: ParsableArguments {
  @Option(
    help: "The file that holds the other store's key, if it has one of its own.",
    completion: .file()
  )
  var otherKeyFile: String?

  var use: StoreKeys.Use { otherKeyFile.map { .other(file: $0) } ?? .unlessPlain }
}
#endif
