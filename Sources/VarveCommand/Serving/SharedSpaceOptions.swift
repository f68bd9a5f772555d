#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveClient
import VarvePostgres
import VarveSealed
import VarveServer
import VarveStore

/// The options of `varve serve` for its spaces, and for those that several hosts share.
struct SharedSpaceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The database of the spaces.", valueName: "url")) var home: String?
  @Option(
    help: ArgumentHelp("The folder of this host's indexes.", valueName: "folder"),
    completion: .directory
  )
  var cache: String?
  @Option(
    help: ArgumentHelp("The megabytes that the indexes may have together.", valueName: "count")
  )
  var cacheLimit: Int?
  @Option(
    help: ArgumentHelp(
      "Another host, whose indexes this one fetches; VARVE_TOKEN is its token.",
      valueName: "url"
    )
  )
  var indexesFrom: String?

  @Option(
    help: ArgumentHelp(
      "The most connections to the database, of which one listens. (default: 16)",
      valueName: "count"
    )
  )
  var connections: Int?
  @Option(
    help: ArgumentHelp(
      "The most spaces that are open at a time, unless more are in use. (default: 64)",
      valueName: "count"
    )
  )
  var openSpaces: Int?

  /// Opens the home, if there is one.
  func home(_ settings: ServeSettings, _ directory: String?) async throws -> PostgresHome? {
    let url = home ?? (directory == nil ? settings.text("home") : nil)
    guard let url else {
      guard directory != nil else { throw UsageError("Name a folder, or a database by --home.") }
      guard cache == nil, cacheLimit == nil, indexesFrom == nil, connections == nil else {
        throw UsageError("--cache, --cache-limit, --indexes-from and --connections need --home.")
      }
      return nil
    }
    guard directory == nil else { throw UsageError("Name a folder or a home, not both.") }
    var configuration = PostgresHome.Configuration()
    if let count = try connections ?? settings.count("connections") {
      guard count >= 2 else { throw UsageError("--connections must be at least 2.") }
      configuration.connectionLimit = count
    }
    return try await PostgresHome(url, configuration: configuration)
  }

  func spaces(
    _ settings: ServeSettings,
    _ directory: String?,
    _ home: PostgresHome?
  ) async throws -> SpaceDirectory {
    let openLimit = try openSpaces ?? settings.count("openSpaces") ?? ServerLimits().openSpaceCount
    guard openLimit > 0 else { throw UsageError("--open-spaces must be at least 1.") }
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    guard let home else {
      return try SpaceDirectory(
        directory ?? "",
        configuration: configuration,
        openLimit: openLimit
      )
    }
    guard let cache = cache ?? settings.text("cache") else {
      throw UsageError("--home needs --cache, a folder for the indexes.")
    }
    let limit = try cacheLimit ?? settings.count("cacheLimit")
    guard limit.map({ $0 > 0 }) ?? true else {
      throw UsageError("--cache-limit must be a number of megabytes from 1.")
    }
    return try SpaceDirectory(
      .postgres(home),
      cache: cache,
      cacheLimit: limit.map { $0 << 20 },
      configuration: configuration,
      openLimit: openLimit,
      fetchingIndexes: (indexesFrom ?? settings.text("indexesFrom")).map(Self.fetch)
    )
  }

  /// Returns what fetches the indexes of another host.
  private static func fetch(from host: String) -> IndexFetch {
    let server = RemoteServer(host, token: ProcessInfo.processInfo.environment["VARVE_TOKEN"])
    return { space, file in try await server.space(space).backUp(to: file) }
  }
}
#endif
