import ArgumentParser
import VarveCore
import VarveStore

/// The store a command works on.
struct StoreFile: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  /// Opens the store, uses it, and closes it whatever happens.
  func use<Result>(
    readOnly: Bool = false,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = readOnly
    return try await Store.using(store, configuration, body)
  }
}

extension Store {
  /// Opens a store, uses it, and closes it whatever happens.
  static func using<Result>(
    _ path: String,
    _ configuration: Configuration,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await open(path, configuration: configuration)
    let result: Result
    do {
      result = try await body(store)
    } catch {
      try? await store.close()
      throw error
    }
    try await store.close()
    return result
  }
}
