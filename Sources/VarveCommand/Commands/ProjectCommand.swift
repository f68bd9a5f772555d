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
      before. Documentation/PostgreSQL.md describes the tables.

      Examples:
        varve project hats.varve --into postgres://db/reports
        varve project hats.varve --into postgres://db/reports --schema hats_now
        varve project postgres://db/varve --space hats --into postgres://db/reports
      """
  )

  @Argument(help: "The store's file, or the home of the space.", completion: .file())
  var store: String
  @Option(help: ArgumentHelp("The database.", valueName: "url")) var into: String
  @Option(help: "The name of the space at a home.") var space: String?
  @Option(help: "The schema; the name of the file or the space by default.") var schema: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let isHome = HomeCommand.isHome(store)
    guard isHome == (space != nil) else {
      throw UsageError(isHome ? "Name the space by --space." : "--space is for spaces of a home.")
    }
    let name = space ?? URL(fileURLWithPath: store).deletingPathExtension().lastPathComponent
    let projection = try PostgresProjection(into, schema: schema ?? name)
    let report = try await report(projection)
    await projection.close()
    var answer = Answer([
      "entities": .count(report.entityCount), "rebuilt": .bool(report.isRebuilt),
    ])
    answer.say(
      counted(report.entityCount, "entity", "entities") + (report.isRebuilt ? ", all anew" : "")
    )
    try output.write(answer)
  }

  private func report(_ projection: PostgresProjection) async throws -> PostgresProjection.Report {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    guard let space else {
      return try await Store.using(store, configuration) { try await projection.update(from: $0) }
    }
    let home = try await PostgresHome(store)
    let opened = try await Store.open(
      .space(space, at: home, index: .inMemory),
      configuration: configuration
    )
    let report = try await projection.update(from: opened)
    try await opened.close()
    await home.close()
    return report
  }
}
