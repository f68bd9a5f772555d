#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveStore

/// The store of a command.
struct StoreFile: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String
  @OptionGroup var key: KeyOption

  /// Opens the store, calls the body, and closes the store in any case.
  func use<Result>(
    readOnly: Bool = false,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = readOnly
    return try await Store.using(store, configuration) { opened in
      if readOnly { try await opened.takeDueCommits(at: store) }
      return try await body(opened)
    }
  }
}

extension Store {
  /// Opens a store for writing, calls the body, and closes the store.
  ///
  /// A dry run of a new store is in memory. The file of a new store is removed if the body fails,
  /// or is interrupted, before the first commit.
  static func filling<Result>(
    _ path: String,
    creates: Bool,
    isDryRun: Bool = false,
    isWhole: Bool = false,
    key use: StoreKeys.Use = .always,
    keys: SealedKeys.Use = .usual,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var configuration = Configuration()
    configuration.createsIfMissing = creates
    guard creates, !FileManager.default.fileExists(atPath: path) else {
      return try await using(.file(path), configuration, key: use, keys: keys, body)
    }
    if isDryRun { return try await using(.inMemory, configuration, body) }
    let made = MadeStore(path, isWhole: isWhole)
    defer { made.endWatching() }
    var isEmpty = true
    do {
      return try await using(.file(path), configuration, key: use, keys: keys) { store in
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

  /// Lets withheld commits that have fallen due take effect, which a read-only store cannot do. A
  /// file that cannot be written to is read without them.
  func takeDueCommits(at path: String) async throws {
    guard try await hasDueCommits() else { return }
    var configuration = Configuration()
    configuration.createsIfMissing = false
    try? await Self.using(path, configuration) { _ in }
  }

  /// Opens a store, calls the body, and closes the store in any case.
  static func using<Result>(
    _ path: String,
    _ configuration: Configuration,
    key use: StoreKeys.Use = .always,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    try await using(.file(path), configuration, key: use, body)
  }

  /// Opens a store in a file or in memory, calls the body, and closes the store in any case.
  static func using<Result>(
    _ location: Location,
    _ configuration: Configuration,
    key use: StoreKeys.Use = .always,
    keys: SealedKeys.Use = .usual,
    _ body: (Store) async throws -> Result
  ) async throws -> Result {
    var configuration = configuration
    if configuration.key == nil { configuration.key = try StoreKeys.key(for: location, use) }
    configuration.warn = { Output.note("varve: warning: \($0)".printable) }
    let store = try await SealedKeys.open(location, configuration, keys)
    let result: Result
    do {
      result =
        try await configuration.isReadOnly ? body(store) : store.warningOfClock(body)
    } catch {
      try? await store.close()
      throw error
    }
    try await store.close()
    return result
  }
}
#endif
