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
    subcommands: [Init.self, Check.self, Migrate.self, Move.self]
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

  /// `varve home check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify the integrity of a home.",
      discussion: """
        Reads every arrival and every block, and verifies every hash. Exits with 1 if anything is \
        wrong.

        Example:
          varve home check postgres://app@db.example/varve
        """
    )

    @Argument(help: "The database.") var url: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let home = try await PostgresHome(url)
      var (findings, rows): ([String], [JSON]) = ([], [])
      var table = Table([
        Table.Column(heading: "space"), Table.Column(heading: "arrivals", isNumeric: true),
        Table.Column(heading: "findings", isNumeric: true),
      ])
      for space in try await home.spaces() {
        let check = try await HomeCheck.run(on: home.log(of: space.id))
        findings += check.findings.map { "\(space.name): \($0)" }
        table.add(space.name, grouped(Int(check.arrivalCount)), grouped(check.findings.count))
        rows.append([
          "space": .string(space.name), "id": .string(space.id.text),
          "arrivals": .integer(check.arrivalCount),
          "findings": .array(check.findings.map { .string($0) }),
        ])
      }
      await home.close()
      var answer = Answer(.array(rows))
      answer.show(table)
      for finding in findings { answer.say(finding.printable) }
      try output.write(answer)
      if !findings.isEmpty { throw ExitCode.failure }
    }
  }

  /// `varve home move`
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move a space between files and databases, while it is used.",
      discussion: """
        A space that moves between databases keeps its id, and ends where it was. A source file is \
        not changed: run the command again to copy what was written to it since, then delete the \
        file.

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
      guard HomeCommand.isHome(source) || HomeCommand.isHome(target) else {
        throw UsageError("One of the two is a database; varve merge copies between files.")
      }
      let count =
        try await HomeCommand.isHome(source) && HomeCommand.isHome(target) ? moved() : copied()
      var answer = Answer(["space": .string(space), "commits": .integer(Int64(count))])
      answer.say("\(space): \(counted(count, "commit")) at \(Self.shown(target))")
      try output.write(answer)
    }

    /// The place without what may be secret.
    private static func shown(_ place: String) -> String {
      HomeCommand.isHome(place) ? "the database" : place
    }

    /// Moves between databases.
    private func moved() async throws -> Int {
      let (old, new) = (try await PostgresHome(source), try await PostgresHome(target))
      guard let summary = try await old.spaces().first(where: { $0.name == space }) else {
        throw VarveError(
          .notFound,
          "the home has no space \(space)",
          at: "space \(space)",
          remedy: "varve space list lists the spaces of a server of the home."
        )
      }
      let log = try await old.log(of: summary.id)
      let replica = try await log.head().replica
      let made = try await new.create(space, summary.id, replica: replica)
      let target = try await new.log(of: made.id)
      try await SpaceMove.run(from: log, to: target) { try await old.end(summary.id, at: $0) }
      let count = try await target.head().position.number
      await old.close()
      await new.close()
      return Int(count)
    }

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
            try await local.merge(from: remote)
            return try await remote.log().count
          }
        }
      } else {
        count = try await Store.using(source, configuration) { local in
          try await using(home, Store.Configuration()) { remote in
            try await remote.merge(from: local)
            try await remote.flush()
            return try await remote.log().count
          }
        }
      }
      await home.close()
      return count
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
}
