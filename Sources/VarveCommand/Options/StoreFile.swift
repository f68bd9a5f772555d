import ArgumentParser
import Foundation
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
  /// Opens a store to be filled, uses it, and closes it. One that had to be made leaves nothing behind
  /// where nothing comes of it: it is in memory for a try, and its file is taken away where the use
  /// fails, or is interrupted, before anything was committed.
  ///
  /// - Parameter isWhole: whether the file is taken away even if something was committed, because the
  ///   command says what it did only when all is done.
  static func filling<Result>(
    _ path: String,
    creates: Bool,
    isDryRun: Bool = false,
    isWhole: Bool = false,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var configuration = Configuration()
    configuration.createsIfMissing = creates
    guard creates, !FileManager.default.fileExists(atPath: path) else {
      return try await using(.file(path), configuration, body)
    }
    if isDryRun { return try await using(.inMemory, configuration, body) }
    let made = MadeStore(path, isWhole: isWhole)
    defer { made.endWatching() }
    var isEmpty = true
    do {
      return try await using(.file(path), configuration) { store in
        made.opened(store)
        do {
          return try await body(store)
        } catch {
          isEmpty = isWhole
          if !isEmpty { isEmpty = (try? await store.log(limit: 1).isEmpty) ?? false }
          throw error
        }
      }
    } catch {
      if isEmpty { made.remove() }
      throw error
    }
  }

  /// Opens a store, uses it, and closes it whatever happens.
  static func using<Result>(
    _ path: String,
    _ configuration: Configuration,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    try await using(.file(path), configuration, body)
  }

  /// The same for a store in a file or in memory.
  static func using<Result>(
    _ location: Location,
    _ configuration: Configuration,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await open(location, configuration: configuration)
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
