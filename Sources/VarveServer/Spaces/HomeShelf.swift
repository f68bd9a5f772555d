#if Server
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The spaces of a home that several hosts share. This host keeps an index of each space that it
/// uses in a folder, which can be deleted while the host is not running.
final class HomeShelf: SpaceShelf {
  let home: any NotedHome
  let cache: IndexCache
  /// Fetches the index of a space from another host.
  private let fetch: IndexFetch?
  /// What opens the spaces that are sealed; nil if there is nothing that does.
  private let relay: (any SpaceSealing)?

  var folder: String? { cache.folder }

  static let receipts = "ended"

  init(
    _ home: any NotedHome,
    _ cache: IndexCache,
    _ fetch: IndexFetch?,
    relay: (any SpaceSealing)? = nil
  ) {
    self.home = home
    self.cache = cache
    self.fetch = fetch
    self.relay = relay
  }

  func names() async throws -> [(name: SpaceName, id: SpaceID?)] {
    try await home.spaces().compactMap { space in
      SpaceName(space.name).map { ($0, space.id) }
    }.sorted { $0.0.text < $1.0.text }
  }

  func contains(_ name: SpaceName) async throws -> Bool { try await summary(of: name) != nil }

  private func summary(of name: SpaceName) async throws -> SpaceSummary? {
    try await home.spaces().first { $0.name == name.text }
  }

  func create(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Bool {
    try await create(name) { try await home.create(name.text) }
  }

  func createRelay(
    _ name: SpaceName,
    of space: SpaceID,
    _ configuration: Store.Configuration
  ) async throws -> Bool {
    guard relay != nil else { throw VarveError.keepsNoSealed(name) }
    return try await create(name) { try await home.createRelay(name.text, of: space) }
  }

  private func create(
    _ name: SpaceName,
    _ body: () async throws -> SpaceSummary
  ) async throws -> Bool {
    try name.requireDifferent(from: try await names().map(\.name))
    do {
      _ = try await body()
      return true
    } catch let error as VarveError where error.code == .duplicateIdentifier {
      // A host may have been faster, with this name or with one that differs in case.
      guard try await contains(name) else { throw error }
      return false
    }
  }

  func open(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Store? {
    guard let space = try await summary(of: name) else { return nil }
    let file = cache.file(of: space.id)
    // Without it, the index is made from the log.
    let isFetched = await (try? fetchIndex(of: space)) ?? false
    do {
      return try await open(space, file, configuration, isFetched: isFetched)
    } catch let error as VarveError where error.saysSealingIsMissing && relay != nil {
      var configuration = configuration
      configuration[SealingOption.self] = relay
      return try await open(space, file, configuration, isFetched: isFetched)
    }
  }

  /// Opens a space. If its index cannot be read, it is made anew.
  private func open(
    _ space: SpaceSummary,
    _ file: String,
    _ configuration: Store.Configuration,
    isFetched: Bool
  ) async throws -> Store {
    do {
      return try await open(space, file, configuration)
    } catch let error as VarveError where error.saysSealingIsMissing {
      // The index is not the cause.
      throw error
    } catch let error as VarveError
      where [.damaged, .notAStore, .newerFormat].contains(error.code)
      || (isFetched && error.code == .invalidArgument)
    {
      // What an index contains is at the home: it can be made anew. If the home is the cause, that
      // fails for the same reason.
      cache.remove(space.id)
      return try await open(space, file, configuration)
    }
  }

  /// Fetches the index of another host. Returns whether it is in the cache now.
  private func fetchIndex(of space: SpaceSummary) async throws -> Bool {
    let file = cache.file(of: space.id)
    guard let fetch, !FileManager.default.fileExists(atPath: file) else { return false }
    let partial = "\(cache.folder)/.varve-fetch-\(UUID().uuidString)"
    defer { IndexCache.removeFiles(partial) }
    try await fetch(space.name, partial)
    // The server may keep another space of this name, or a copy that went its own way.
    try await SpaceLocation(space, at: home, index: .file(file)).requireIndex(partial)
    return rename(partial, file) == 0
  }

  private func open(
    _ space: SpaceSummary,
    _ file: String,
    _ configuration: Store.Configuration
  ) async throws -> Store {
    var configuration = configuration
    configuration.createsIfMissing = false
    let location = SpaceLocation(space, at: home, index: .file(file))
    let store = try await Store.open(location, configuration: configuration)
    cache.noteUse(of: space.id)
    return store
  }

  func end(_ space: Space, _ receipt: SpaceReceipt) async throws -> SpaceReceipt {
    let count = try await home.end(space.id) { count in
      var last = receipt
      last.commitCount = count
      return HomeNote(Self.receipts, space.name.text, last.json.text)
    }
    try await discard(space)
    var last = receipt
    last.commitCount = count
    return last
  }

  /// Closes a space that the home has no more, and removes its index.
  func discard(_ space: Space) async throws {
    try await space.store.close()
    cache.remove(space.id)
  }

  func receipt(of name: SpaceName) async throws -> SpaceReceipt? {
    let note = try await home.notes(Self.receipts).first { $0.name == name.text }
    return try note.flatMap { SpaceReceipt(try JSONReader.read($0.text)) }
  }
}

/// Fetches the index of a space, by its name, into a new file. Throws if there is none.
public typealias IndexFetch = @Sendable (_ space: String, _ file: String) async throws -> Void
#endif
