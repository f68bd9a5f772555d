#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore
import VarveSync

/// `varve sync`
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Make two stores equal, or exchange commits through a folder.",
    discussion: """
      Afterwards both stores have all commits. Through a folder (on a stick, a share, or \
      a service that copies files), any number of stores exchange commits without a direct \
      connection. A synchronisation can be interrupted and repeated: received commits are kept. \
      Exits with 1 if a commit is damaged; the others are still received.

      With --present-first, a store without commits receives the present before history, and can \
      be used while history arrives. If it is interrupted after the present, the next \
      synchronisation continues. Until then, operations that need history fail with \
      historyAwaited.

      The other store may be a space of varve serve, by its address, such as \
      http://127.0.0.1:8642/hats. VARVE_TOKEN, or a file named by --token-file, holds the \
      token that the server asks for. With --watch, both are kept equal until the command is ended. \
      Each state, each exchange of commits and each new conflict is printed on a line with its time \
      (UTC); with --json, each line is a document.

      Each store may be encrypted. The key, of VARVE_KEY or --key-file, is that of both, unless \
      --other-key-file names the key of the other. What goes through a folder or to a server is not \
      encrypted by it.

      A sealed space is synchronised with the keys of this device, of --keys or VARVE_KEYS; --other-keys \
      names the keys of the other store, if it is another member's.

      Examples:
        varve sync laptop.varve office.varve
        varve sync hats.varve copy.varve --create
        varve sync hats.varve copy.varve --create --present-first
        varve sync hats.varve --folder shared
      """
  )

  @Argument(help: "The store.", completion: .file()) var store: String
  @Argument(help: "The other store, or the address of a space.", completion: .file())
  var other: String?
  @Option(help: "Exchange commits through this folder, which is created if missing.")
  var folder: String?
  @Flag(help: "Create the other store, or the one beside a folder or URL, if missing.") var create =
    false
  @Flag(help: "Send a new store the present before history.") var presentFirst = false
  @Flag(help: "Keep the store and the space equal until ended.") var watch = false
  @OptionGroup var key: KeyOption
  @OptionGroup var otherKey: OtherKeyOption
  @OptionGroup var otherKeys: OtherKeysOption
  @OptionGroup var token: TokenOption
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (other == nil) != (folder == nil) else {
      throw ValidationError("Name either another store, or a folder with --folder.")
    }
    guard folder == nil || !presentFirst else {
      throw ValidationError("A folder has complete commits only: omit --present-first.")
    }
    guard address != nil || (!watch && token.tokenFile == nil) else {
      throw ValidationError("--watch and --token-file are for the address of a space.")
    }
    guard other != nil && address == nil || otherKey.otherKeyFile == nil else {
      throw ValidationError("--other-key-file is for the file of another store.")
    }
    guard other != nil && address == nil || otherKeys.otherKeys == nil else {
      throw ValidationError("--other-keys is for the file of another store.")
    }
    if let address { try checkAddress(address) } else if let other { try checkFile(other) }
    guard address == nil || !presentFirst else {
      throw ValidationError("A server sends complete commits only: omit --present-first.")
    }
  }

  /// Throws if the other store is a folder, through which one can synchronise too.
  private func checkFile(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { return }
    throw ValidationError(
      "\(path.printable) is a folder. To exchange commits through it, write --folder \(path.printable)."
    )
  }

  /// The address of a space; nil if the other is a file.
  private var address: String? {
    guard let other, ["http://", "https://"].contains(where: other.hasPrefix) else { return nil }
    return other
  }

  func run() async throws {
    if watch, let address { return try await keepEqual(with: address) }
    let (report, ahead, notes) = try await Progress.during("sync", "commits") { progress in
      if let folder { return try await sync(through: folder, progress) }
      if let address { return try await sync(at: address, progress) }
      return try await sync(with: other ?? "", progress)
    }
    var answer = Answer(report.json(ahead))
    report.say(here: store, there: folder ?? other ?? "", ahead, in: &answer)
    answer.note(notes)
    try output.write(answer)
    guard report.parked.isEmpty, report.parkedThere.isEmpty else { throw ExitCode.failure }
  }

  private func sync(
    with other: String,
    _ progress: Progress
  ) async throws -> (SyncReport, AheadOnBothSides, [String]) {
    var existing = Store.Configuration()
    existing.createsIfMissing = false
    return try await Store.using(store, existing, key: .unlessPlain) { here in
      try await Store.filling(
        other,
        creates: create,
        key: otherKey.use,
        keys: otherKeys.use
      ) { there in
        let report = try await here.sync(with: there, presentFirst: presentFirst) {
          progress.show($0)
        }
        let ahead = AheadOnBothSides(
          here: try await here.commitsAhead(),
          there: try await there.commitsAhead()
        )
        return (report, ahead, try await here.sealedNotes())
      }
    }
  }

  private func sync(
    through folder: String,
    _ progress: Progress
  ) async throws -> (SyncReport, AheadOnBothSides, [String]) {
    try await Store.filling(store, creates: create) { here in
      let report = try await here.sync(folder: folder) { progress.show($0) }
      let ahead = AheadOnBothSides(here: try await here.commitsAhead())
      return (report, ahead, try await here.sealedNotes())
    }
  }
}

extension Progress {
  /// Shows the progress of a synchronisation, both directions together.
  func show(_ progress: SyncProgress) {
    let done = progress.receivedCount + progress.sentCount + progress.completedCount
    show(done, of: max(done, progress.toReceiveCount + progress.toSendCount))
  }
}
#endif
