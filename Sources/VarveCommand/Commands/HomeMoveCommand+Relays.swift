#if CommandLine && Server
import Foundation
import VarveCore
import VarvePostgres
import VarveSealed
import VarveServer
import VarveStore

// Relays of sealed spaces, which move between a file and a database.
extension HomeMoveCommand {
  /// Moves the relay of a sealed space.
  ///
  /// - Returns: the number of commits; nil if the space is an open one.
  func movedRelay() async throws -> Int? {
    guard HomeCommand.isHome(source) else {
      guard let id = try await relaySpace() else { return nil }
      return try await withHome(target) { try await moveRelay(of: id, to: $0) }
    }
    return try await withHome(source) { home in
      guard let summary = try await home.spaces().first(where: { $0.name == space }),
        try await home.log(of: summary.id).head().isSealed
      else { return nil }
      return try await moveRelay(summary, from: home)
    }
  }

  private func withHome<Result>(
    _ url: String,
    _ body: (PostgresHome) async throws -> Result
  ) async throws -> Result {
    let home = try await PostgresHome(url)
    do {
      let result = try await body(home)
      await home.close()
      return result
    } catch {
      await home.close()
      throw error
    }
  }

  /// Opens an index of the relay in a file.
  private func index(_ file: String, at home: PostgresHome) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    configuration.key = try StoreKeys.key(for: .file(file), .unlessPlain)
    return try await Store.open(
      .space(space, at: home, index: .file(file)),
      configuration: configuration
    )
  }

  // MARK: To a database

  /// Returns the sealed space whose relay the source file is; nil if the file is an open store's.
  ///
  /// - Throws: `unsupported` if it is a member's.
  private func relaySpace() async throws -> SpaceID? {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    do {
      return try await Store.using(source, configuration) { store in
        guard let sealing = try store.readableLog().sealing else { return nil }
        guard !sealing.hasKeys else { throw isMember }
        return try await store.readableLog().readingDesk { try $0.space }
      }
    } catch let error as VarveError where SealedKeys.saysKeysAreMissing(error) {
      throw isMember
    }
  }

  private var isMember: VarveError {
    VarveError(
      .unsupported,
      "the file is a member's store of a sealed space, and a home keeps relays only",
      at: source,
      remedy: "Make a relay at a server of the home: varve space create URL --relay \(source)."
    )
  }

  /// Makes the file an index of a new space, which gives the home all that it has.
  private func moveRelay(of id: SpaceID, to home: PostgresHome) async throws -> Int {
    let isNew = try await !home.spaces().contains(SpaceSummary(id: id, name: space))
    if isNew { _ = try await home.createRelay(space, of: id) }
    try await requireNothingElse(of: id, at: home)
    let store: Store
    do {
      store = try await index(source, at: home)
    } catch {
      // Nobody shall use a relay that lacks what the file has.
      if isNew { try? await home.end(id) }
      throw error
    }
    do {
      try await store.followHome()
      let count = try await store.readableLog().end().number
      try await store.close()
      return Int(count)
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// Throws if the home has entries of the membership that the file has not: somebody used the relay there
  /// before it had moved, or the home orders them already.
  private func requireNothingElse(of id: SpaceID, at home: PostgresHome) async throws {
    var ordered: [[UInt8]] = []
    _ = try await home.log(of: id).arrivals(after: nil) { part in
      guard case .record(let bytes) = part else { return }
      switch try SealedRecord(encoded: bytes) {
      case .entry(let entry): ordered.append(entry)
      case .cut(let count): ordered.removeLast(max(0, ordered.count - Int(clamping: count)))
      default: break
      }
    }
    guard !ordered.isEmpty else { return }
    var configuration = Store.Configuration()
    configuration.isReadOnly = true
    let own = try await Store.using(source, configuration) { store in
      try await store.readableLog().readingDesk { try $0.entries }
    }
    guard own.starts(with: ordered) else {
      throw VarveError(
        .invalidArgument,
        "the relay in the database has a membership that the file lacks",
        at: "space \(space)",
        remedy: "Nothing was moved. If the file was moved there before, delete it."
      )
    }
  }

  // MARK: To a file

  /// Makes the index of a new file a relay of its own, and ends the space in the database.
  private func moveRelay(_ summary: SpaceSummary, from home: PostgresHome) async throws -> Int {
    guard !FileManager.default.fileExists(atPath: target) else {
      throw VarveError(
        .invalidArgument,
        "there is a file already, and a relay moves to a new one only",
        at: target,
        remedy: "Name another file. If it is from a move that was interrupted, delete it first."
      )
    }
    let store = try await index(target, at: home)
    var count = 0
    var hasLeft = false
    do {
      try await home.end(summary.id) { head, commitCount in
        try await store.followHome()
        try await store.leaveHome(at: head.position)
        hasLeft = true
        count = commitCount
        return HomeNotes.receipt(ofMoved: summary, commitCount: count, time: Date())
      }
      try await HomeNotes.removeGrants(in: summary.id, from: .postgres(home))
      try await store.close()
      return count
    } catch {
      try? await store.close()
      if hasLeft {
        Output.note(
          "varve: warning: \(target.printable) is a relay by itself now: serve it only if the "
            + "database has the space no more"
        )
      } else {
        for file in StoreFileNames.all(of: target) {
          try? FileManager.default.removeItem(atPath: file)
        }
      }
      throw error
    }
  }
}
#endif
