#if CommandLine
import ArgumentParser

/// Where the key of a command's stores is.
struct KeyOption: ParsableArguments {
  @Option(
    help: "The file that holds the store's key; VARVE_KEY has it by default.",
    completion: .file()
  )
  var keyFile: String?

  @Option(
    help: ArgumentHelp(
      "The folder of this device's keys for sealed spaces; VARVE_KEYS names it by default.",
      valueName: "folder"
    ),
    completion: .directory
  )
  var keys: String?

  /// Notes the file and the folder. Their keys open every store of the command, and of a shell's
  /// lines.
  func validate() throws {
    if let keyFile { StoreKeys.keyFile = keyFile }
    if let keys { SealedKeys.folder = keys }
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

/// Where the keys for the sealed space of a command's other store are.
struct OtherKeysOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the keys for sealed spaces of the other store's device, if it is another.",
      valueName: "folder"
    ),
    completion: .directory
  )
  var otherKeys: String?

  var use: SealedKeys.Use { otherKeys.map { .other(folder: $0) } ?? .usual }
}
#endif
