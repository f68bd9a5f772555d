import ArgumentParser
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
      Afterwards both stores have all commits of either. Through a folder (on a stick, a share, or \
      a service that copies files), any number of stores exchange commits without a direct \
      connection. A synchronisation can be interrupted and repeated: received commits are kept. \
      Exits with 1 if a commit is damaged; the others are still taken over.

      With --present-first, a store without commits receives the present before history, and can \
      be used while history arrives. If it is interrupted after the present, the next \
      synchronisation continues. Until then, operations that need history fail with \
      historyAwaited.

      Examples:
        varve sync laptop.varve office.varve
        varve sync hats.varve copy.varve --create
        varve sync hats.varve copy.varve --create --present-first
        varve sync hats.varve --folder shared
      """
  )

  @Argument(help: "The store.", completion: .file()) var store: String
  @Argument(help: "The other store.", completion: .file()) var other: String?
  @Option(help: "Exchange commits through this folder, which is created if missing.")
  var folder: String?
  @Flag(help: "Create the other store, or the one at a folder, if missing.") var create = false
  @Flag(help: "Send a new store the present before history.") var presentFirst = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (other == nil) != (folder == nil) else {
      throw ValidationError("Name either another store, or a folder with --folder.")
    }
    guard folder == nil || !presentFirst else {
      throw ValidationError("A folder has complete commits only: omit --present-first.")
    }
  }

  func run() async throws {
    let report = try await Progress.during("sync", "commits") { progress in
      if let folder { return try await sync(through: folder, progress) }
      return try await sync(with: other ?? "", progress)
    }
    var answer = Answer(report.json)
    report.say(here: store, there: folder ?? other ?? "", in: &answer)
    try output.write(answer)
    guard report.parked.isEmpty, report.parkedThere.isEmpty else { throw ExitCode.failure }
  }

  private func sync(with other: String, _ progress: Progress) async throws -> SyncReport {
    var existing = Store.Configuration()
    existing.createsIfMissing = false
    return try await Store.using(store, existing) { here in
      try await Store.filling(other, creates: create) { there in
        try await here.sync(with: there, presentFirst: presentFirst) { progress.show($0) }
      }
    }
  }

  private func sync(through folder: String, _ progress: Progress) async throws -> SyncReport {
    try await Store.filling(store, creates: create) { here in
      try await here.sync(folder: folder) { progress.show($0) }
    }
  }
}

extension Progress {
  /// Shows the progress of a synchronisation, both directions together.
  fileprivate func show(_ progress: SyncProgress) {
    let done = progress.receivedCount + progress.sentCount + progress.completedCount
    show(done, of: max(done, progress.toReceiveCount + progress.toSendCount))
  }
}
