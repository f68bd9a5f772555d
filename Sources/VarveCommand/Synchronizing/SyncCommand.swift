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
      Afterwards both stores hold every commit either had. Through a folder, on a stick, a share \
      or a service that copies files about, any number of stores exchange commits without ever \
      meeting. It may be interrupted and repeated: what has arrived is kept. Exits with 1 if a \
      commit is damaged; the others are taken over all the same.

      With --present-first, a store without commits gets what counts now before history: it can be \
      used while the rest comes. Interrupted after that, the next synchronisation goes on; until \
      it is through, what needs history answers historyAwaited.

      Examples:
        varve sync laptop.varve office.varve
        varve sync hats.varve copy.varve --create
        varve sync hats.varve copy.varve --create --present-first
        varve sync hats.varve --folder shared
      """
  )

  @Argument(help: "The store.", completion: .file()) var store: String
  @Argument(help: "The other store.", completion: .file()) var other: String?
  @Option(help: "Exchange commits through this folder, which is made if there is none.")
  var folder: String?
  @Flag(help: "Make the other store, or the one at a folder, if there is none.") var create = false
  @Flag(help: "A store without commits gets the present before history.") var presentFirst = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (other == nil) != (folder == nil) else {
      throw ValidationError("Name another store, or a folder with --folder: one of the two.")
    }
    guard folder == nil || !presentFirst else {
      throw ValidationError("A folder has whole commits only: --present-first needs another store.")
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
  /// Tells how far a synchronisation is, both directions together.
  fileprivate func show(_ progress: SyncProgress) {
    let done = progress.receivedCount + progress.sentCount + progress.completedCount
    show(done, of: max(done, progress.toReceiveCount + progress.toSendCount))
  }
}
