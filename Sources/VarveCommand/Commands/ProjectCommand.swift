#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarvePostgres
import VarveStore

/// `varve project`
struct ProjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "project",
    abstract: "Show a space as ordinary tables of a PostgreSQL schema.",
    discussion: """
      Each type is a table with a column for each property. The tables _links and _history have the \
      relations and everything that was written. Each run writes what has changed since the one \
      before. With --watch, the tables are kept up to date until the command is ended, and a line is       printed after each update. Documentation/PostgreSQL.md describes the tables.

      Examples:
        varve project hats.varve --into postgres://db/reports
        varve project hats.varve --into postgres://db/reports --schema hats_now
        varve project postgres://db/varve --space hats --into postgres://db/reports
        varve project hats.varve --into postgres://db/reports --watch
      """
  )

  @OptionGroup var key: KeyOption
  @Argument(help: "The store's file, or the home of the space.", completion: .file())
  var store: String
  @Option(help: ArgumentHelp("The database.", valueName: "url")) var into: String
  @Option(help: "The name of the space at a home.") var space: String?
  @Option(help: "The schema; the name of the file or the space by default.") var schema: String?
  @Flag(help: "Keep the tables up to date until ended.") var watch = false
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let isHome = HomeCommand.isHome(store)
    guard isHome == (space != nil) else {
      throw UsageError(isHome ? "Name the space by --space." : "--space is for spaces of a home.")
    }
    let name = space ?? URL(fileURLWithPath: store).deletingPathExtension().lastPathComponent
    let projection = try PostgresProjection(into, schema: schema ?? name)
    try await using { store in
      guard watch else { return try write(try await projection.update(from: store)) }
      try await projection.follow(store) { event in
        switch event {
        case .updated(let report): try write(report)
        case .failed(let error): try write(error)
        }
      }
    }
    await projection.close()
  }

  private func write(_ report: PostgresProjection.Report) throws {
    var answer = Answer([
      "entities": .count(report.entityCount), "rebuilt": .bool(report.isRebuilt),
    ])
    answer.say(
      counted(report.entityCount, "entity", "entities") + (report.isRebuilt ? ", all anew" : "")
    )
    try output.write(answer)
  }

  /// Writes a failure after which the command goes on.
  private func write(_ error: VarveError) throws {
    let message = error.message + (error.cause.map { ": \($0)" } ?? "")
    var answer = Answer(["error": .string(error.code.rawValue), "message": .string(message)])
    answer.say("\(message.printable); trying again")
    try output.write(answer)
  }

  /// Opens the store or the space, and closes it in any case.
  private func using(_ body: (Store) async throws -> Void) async throws {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    guard let space else { return try await Store.using(store, configuration, body) }
    let home = try await PostgresHome(store)
    let opened = try await Store.open(
      .space(space, at: home, index: .inMemory),
      configuration: configuration
    )
    do {
      try await body(opened)
    } catch {
      try? await opened.close()
      throw error
    }
    try await opened.close()
    await home.close()
  }
}
#endif
