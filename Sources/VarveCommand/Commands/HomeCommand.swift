#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarvePostgres
import VarveStore

/// `varve home`
struct HomeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "home",
    abstract: "Prepare, check and fill a PostgreSQL database as the home of spaces.",
    discussion: """
      Several hosts serve the spaces of one database. Documentation/PostgreSQL.md says how. A \
      password is better kept in PGPASSFILE than written in the URL, which other users of this \
      computer can see.

      Examples:
        varve home init postgres://app@db.example/varve
        varve home move hats.varve postgres://app@db.example/varve --space hats
        varve home check postgres://app@db.example/varve
      """,
    subcommands: [
      Init.self, HomeCheckCommand.self, Migrate.self, HomeMoveCommand.self, Restored.self,
    ]
  )

  /// `varve home init`
  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create the tables of a home.",
      discussion: """
        Example:
          varve home init postgres://app@db.example/varve
        """
    )

    @Argument(help: "The database.") var url: String
    @OptionGroup var output: OutputOptions

    func run() async throws { try await HomeCommand.prepare(url, output) }
  }

  /// `varve home migrate`
  struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bring the tables of a home up to date, while older hosts use them.",
      discussion: """
        Example:
          varve home migrate postgres://app@db.example/varve
        """
    )

    @Argument(help: "The database.") var url: String
    @OptionGroup var output: OutputOptions

    func run() async throws { try await HomeCommand.prepare(url, output) }
  }

  /// Whether a text is the URL of a database, and not the name of a file.
  static func isHome(_ place: String) -> Bool {
    place.hasPrefix("postgres://") || place.hasPrefix("postgresql://")
  }

  private static func prepare(_ url: String, _ output: OutputOptions) async throws {
    let changed = try await PostgresHome.prepare(url)
    var answer = Answer(["changed": .bool(changed)])
    answer.say(changed ? "the tables are there" : "the tables were there")
    try output.write(answer)
  }

  /// `varve home restored`
  struct Restored: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the spaces of a restored database new incarnations.",
      discussion: """
        After a backup was restored, a space may lack commits that hosts and clients have seen. With \
        a new incarnation they compare what they have with it, and give it what it lacks. Hosts that \
        run, or have indexes of the spaces, notice by themselves; run this command if neither is so.

        Example:
          varve home restored postgres://app@db.example/varve
        """
    )

    @Argument(help: "The database.") var url: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let home = try await PostgresHome(url)
      let count = try await home.renewIncarnations()
      await home.close()
      var answer = Answer(["spaces": .count(count)])
      answer.say("\(counted(count, "space")) with a new incarnation")
      try output.write(answer)
    }
  }
}
#endif
