#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarvePostgres
import VarveServer
import VarveStore

/// `varve home move`
struct HomeMoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move a space to another database, or copy it between a file and a database.",
    discussion: """
      Between databases the space moves: it keeps its id and its grants, is used meanwhile, and ends \
      where it was, where hosts show a receipt. If the command is interrupted, run it again.

      Between a file and a database it is copied: what it is copied to is another space, with an id \
      of its own, and the source is not changed. Run the command again to copy what was written to \
      the source since, then delete the source. What has commits of another store is refused.

      The relay of a sealed space moves to and from a file as well, because only one relay orders the \
      membership. To a database it is moved by its file, which is of no use afterwards.

      Examples:
        varve home move hats.varve postgres://app@db.example/varve --space hats
        varve home move postgres://app@db.example/varve hats.varve --space hats
        varve home move postgres://old.example/varve postgres://new.example/varve --space hats
      """
  )

  @Argument(help: "The source file or database.") var source: String
  @Argument(help: "The destination file or database.") var target: String
  @Option(help: "The name of the space.") var space: String
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (isFrom, isTo) = (HomeCommand.isHome(source), HomeCommand.isHome(target))
    guard isFrom || isTo else {
      throw UsageError("One of the two is a database; varve merge copies between files.")
    }
    var isMove = isFrom && isTo
    let count: Int
    if isMove {
      count = try await moved()
    } else if let relay = try await movedRelay() {
      (count, isMove) = (relay, true)
    } else {
      count = try await copied()
    }
    var answer = Answer([
      "space": .string(space), "commits": .count(count), "moved": .bool(isMove),
    ])
    let place = isTo ? "the database" : target
    answer.say("\(space): \(counted(count, "commit")) \(isMove ? "moved" : "copied") to \(place)")
    try output.write(answer)
  }

  // MARK: Moving

  /// Moves between databases.
  private func moved() async throws -> Int {
    let (old, new) = (try await PostgresHome(source), try await PostgresHome(target))
    guard let summary = try await old.spaces().first(where: { $0.name == space }) else {
      throw try await missing(at: old)
    }
    let log = try await old.log(of: summary.id)
    let reached = try await destination(of: summary, at: new, like: log.head())
    try await HomeNotes.copyGrants(in: summary.id, from: .postgres(old), to: .postgres(new))
    var count = 0
    try await SpaceMove.run(from: log, to: reached) { finish in
      try await old.end(summary.id) { head, commitCount in
        count = commitCount
        try await finish(head)
        // What was granted meanwhile goes along.
        try await HomeNotes.copyGrants(in: summary.id, from: .postgres(old), to: .postgres(new))
        return HomeNotes.receipt(ofMoved: summary, commitCount: count, time: Date())
      }
    }
    try await HomeNotes.removeGrants(in: summary.id, from: .postgres(old))
    await old.close()
    await new.close()
    return count
  }

  /// The error of a space that the home does not have, or no longer.
  private func missing(at home: PostgresHome) async throws -> VarveError {
    let hasMoved = try await HomeNotes.hasMoved(space, from: .postgres(home))
    return VarveError(
      .notFound,
      hasMoved ? "the space \(space) has moved already" : "the home has no space \(space)",
      at: "space \(space)",
      remedy: hasMoved
        ? "Look for it where it was moved to: nothing is left to do."
        : "varve space list lists the spaces of a server of the home."
    )
  }

  /// Returns the log to move to: that of a new space, or of one that an interrupted move has begun.
  private func destination(
    of summary: SpaceSummary,
    at home: PostgresHome,
    like head: HomeHead
  ) async throws -> any LogHome {
    if try await home.spaces().contains(summary) { return try await home.log(of: summary.id) }
    try head.requireKnownFormat()
    _ = try await home.create(space, summary.id, replica: head.replica, format: head.format)
    return try await home.log(of: summary.id)
  }

  // MARK: Copying

  /// Copies between a file and a database. The source is open before the target is made.
  private func copied() async throws -> Int {
    let isToFile = HomeCommand.isHome(source)
    let home = try await PostgresHome(isToFile ? source : target)
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    let count: Int
    if isToFile {
      count = try await using(home, configuration) { remote in
        try await Store.using(target, Store.Configuration()) { local in
          try await copy(from: remote, to: local)
          return try await remote.log().count
        }
      }
    } else {
      count = try await Store.using(source, configuration) { local in
        try await using(home, Store.Configuration()) { remote in
          try await copy(from: local, to: remote)
          try await remote.flush()
          return try await remote.log().count
        }
      }
    }
    await home.close()
    return count
  }

  /// Copies what one store has and the other has not, unless the other is not a copy of it.
  private func copy(from source: Store, to copy: Store) async throws {
    if try await copy.log(limit: 1).first != nil {
      // A copy has everything that its source had when it was copied.
      let oldest = try await source.log().last.map { [$0.id] } ?? []
      guard try await !copy.readableLog().held(among: oldest).isEmpty else {
        throw VarveError(
          .invalidArgument,
          "\(HomeCommand.isHome(target) ? "the space \(space)" : "the file") holds another store",
          at: HomeCommand.isHome(target) ? "space \(space)" : target,
          remedy: "Copy to a new file or space; varve merge and varve sync merge two stores."
        )
      }
    }
    try await copy.merge(from: source)
  }

  /// Opens the space, and closes it in any case.
  private func using<Result>(
    _ home: PostgresHome,
    _ configuration: Store.Configuration,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await Store.open(
      .space(space, at: home, index: .inMemory),
      configuration: configuration
    )
    do {
      let result = try await body(store)
      try await store.close()
      return result
    } catch {
      try? await store.close()
      throw error
    }
  }
}
#endif
