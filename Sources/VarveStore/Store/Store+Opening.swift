import VarveCore
import VarveSQLite

extension Store {
  /// Opens the store in a file.
  ///
  /// - Throws: ``VarveError``: `notFound` if there is no file and none may be created, `notAStore`,
  ///   `newerFormat`, `damaged`, `readOnly` or `inputOutput`.
  public static func open(
    _ path: String,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    try await open(.file(path), configuration: configuration)
  }

  /// Opens a store.
  ///
  /// ```swift
  /// let store = try await Store.open(.inMemory)
  /// ```
  ///
  /// - Throws: ``VarveError``: `notFound` if there is no file and none may be created, `notAStore`,
  ///   `newerFormat`, `damaged`, `readOnly` or `inputOutput`.
  public static func open(
    _ location: Location,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    var settings = SQLiteBackend.Configuration()
    settings.wallMilliseconds = configuration.wallMilliseconds
    settings.wallTime = configuration.wallTime
    settings.toleranceMilliseconds = min(
      Int64(configuration.clockTolerance.wholeMilliseconds),
      longestTolerance
    )
    settings.isReadOnly = configuration.isReadOnly
    settings.createsIfMissing = configuration.createsIfMissing
    let place: SQLiteBackend.Location =
      switch location {
      case .inMemory: .inMemory
      case .file(let path): .file(path)
      }
    let backend = try await SQLiteBackend.open(place, configuration: settings)
    if !configuration.isReadOnly { _ = try await backend.leaveRetired() }
    return Store(backend: backend, configuration: configuration)
  }

  /// A century in milliseconds: sums with it stay in the range of a `HybridTime`.
  private static let longestTolerance: Int64 = 100 * 366 * 86_400_000
}
