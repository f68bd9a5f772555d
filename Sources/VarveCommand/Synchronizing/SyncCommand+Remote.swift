#if CommandLine
import VarveCore
import VarveStore
import VarveSync

#if Client
import VarveClient

// Synchronisation with a space of a server.
extension SyncCommand {
  /// Throws if the address names no space.
  func checkAddress(_ address: String) throws {
    guard RemoteSpace(address).name != nil else { throw SpaceArgument.missing }
  }

  /// Synchronises with the space at an address once.
  func sync(
    at address: String,
    _ progress: Progress
  ) async throws -> (SyncReport, AheadOnBothSides, [String]) {
    let space = RemoteSpace(address, token: try token.token())
    return try await Store.filling(store, creates: create) { here in
      let report = try await here.sync(with: space) { progress.show($0) }
      let ahead = AheadOnBothSides(here: try await here.commitsAhead())
      return (report, ahead, try await here.sealedNotes())
    }
  }

  /// Keeps the store and the space at an address equal, and prints each state and each exchange.
  func keepEqual(with address: String) async throws {
    let space = RemoteSpace(address, token: try token.token())
    try await Store.filling(store, creates: create) { here in
      var watch = try await SyncWatch(here, named: store, with: other ?? "", output)
      let replicator = Replicator(here, with: space)
      let (events, event) = AsyncStream<SyncWatch.Event>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { event.finish() }
          try await replicator.run { event.yield(.exchange($0)) }
        }
        group.addTask { for await status in replicator.statuses { event.yield(.status(status)) } }
        for await event in events { try await watch.show(event) }
        try await group.waitForAll()
      }
    }
  }
}
#else
import ArgumentParser

// Without its client, `varve` refuses the address of a server.
extension SyncCommand {
  private static let withoutClient = UsageError(
    "This varve was built without its client of servers: build it with the trait Client."
  )

  func checkAddress(_: String) throws { throw Self.withoutClient }

  func sync(at _: String, _: Progress) async throws -> (SyncReport, AheadOnBothSides, [String]) {
    throw Self.withoutClient
  }

  func keepEqual(with _: String) async throws { throw Self.withoutClient }
}
#endif
#endif
