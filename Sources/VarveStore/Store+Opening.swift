public import Foundation
import VarveCore
public import VarveEntities
import VarveSQLite

extension Store {
  /// Opens the store in a file.
  ///
  /// A user who may not write to the file can only read: writes throw `readOnly`.
  ///
  /// - Throws: ``VarveError``: `notFound` if there is no file and none may be created, `notAStore`
  ///   (also for a file of 0 bytes), `newerFormat`, `damaged`, `readOnly`, `busy` if the file is open
  ///   under another name, or `inputOutput`; `keyMissing`, `wrongKey`, `notEncrypted`, and
  ///   `unsupported` for a key in a program without encryption.
  public static func open(
    _ path: String,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    try await open(.file(path), configuration: configuration)
  }

  /// Opens the store in a file that a URL names.
  ///
  /// ```swift
  /// let store = try await Store.open(url: .documentsDirectory.appending(path: "hats.varve"))
  /// ```
  ///
  /// - Throws: ``VarveError``: `invalidArgument` for a URL of another scheme than `file`, and as
  ///   `open(_:configuration:)`.
  public static func open(
    url: URL,
    configuration: Configuration = Configuration()
  ) async throws -> Store {
    try await open(.file(path(of: url)), configuration: configuration)
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
    try await open(location, configuration, backendConfiguration(configuration))
  }

  /// Returns the backend's options.
  static func backendConfiguration(_ configuration: Configuration) -> SQLiteBackend.Configuration {
    var settings = SQLiteBackend.Configuration()
    settings.wallMilliseconds = configuration.wallMilliseconds
    settings.wallTime = configuration.wallTime
    settings.toleranceMilliseconds = configuration.toleranceMilliseconds
    settings.isReadOnly = configuration.isReadOnly
    settings.createsIfMissing = configuration.createsIfMissing
    settings.key = configuration.key
    settings.sealing = configuration[SealingOption.self]
    settings.isSynchronized = configuration.durability == .synchronized
    settings.isAlone = configuration.sharing == .thisStore
    settings.fileProtection = configuration.fileProtection
    settings.warn = configuration.warn
    settings.statementWatch = configuration.sqlLog?.watch
    return settings
  }

  static func open(
    _ location: Location,
    _ configuration: Configuration,
    _ settings: SQLiteBackend.Configuration
  ) async throws -> Store {
    let place: SQLiteBackend.Location =
      switch location {
      case .inMemory: .inMemory
      case .file(let path): .file(path)
      }
    let backend = try await SQLiteBackend.open(place, configuration: settings)
    if !configuration.isReadOnly { _ = try await backend.leaveRetired() }
    return Store(backend: backend, configuration: configuration)
  }
}
