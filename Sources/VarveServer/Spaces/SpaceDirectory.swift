#if Server
import Foundation
import VarveCore
public import VarveStore

/// The spaces that a server serves: those of a folder, in which each `*.varve` file is one, or
/// those of a home that several hosts share.
///
/// A space is opened when it is first used. Beyond a number of open spaces, the one that was not
/// used for the longest time is closed.
public actor SpaceDirectory {
  /// The entry of a space in a list of spaces.
  struct Listing: Sendable {
    let name: SpaceName
    let id: SpaceID
  }

  enum Entry {
    case opening(Task<Space, any Error>)
    case open(Space)
    /// Its files are being removed. Another space under the name waits for that.
    case ending(Task<Void, any Error>)
  }

  let shelf: any SpaceShelf
  /// The home, if the spaces are not files.
  nonisolated let homeShelf: HomeShelf?
  /// The roles that the server keeps for subjects of signed tokens; nil if it has no place for
  /// them.
  nonisolated let grants: GrantBook?
  let configuration: Store.Configuration
  private let openLimit: Int
  var entries: [SpaceName: Entry] = [:]
  /// The number of users of an open space.
  private(set) var useCounts: [SpaceName: Int] = [:]
  /// The names of the open spaces, the one used last at the end.
  var recency: [SpaceName] = []
  private(set) var isClosed = false
  /// The spaces that are being created.
  var creating: [SpaceName: Task<Bool, any Error>] = [:]
  /// The task that looks whether spaces were ended elsewhere.
  var watch: Task<Void, Never>?
  /// How the home was when it was looked at last; nil before that.
  var homeState: HomeState?

  /// Creates the directory for a folder, which must exist.
  ///
  /// With the seal of a relay (`configuration.seal = try .relay()`, in the product VarveSealed) the server
  /// keeps sealed spaces for their members too. It reads nothing of them.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - configuration: the options for opening its stores.
  ///   - openLimit: the most spaces that are open at a time, unless more are in use.
  /// - Throws: `VarveError`: `notFound` if there is no such folder, `unsupported` if the configuration has a
  ///   key, or the seal of a member.
  public init(
    _ path: String,
    configuration: Store.Configuration = Store.Configuration(),
    openLimit: Int = ServerLimits().openSpaceCount
  ) throws {
    try Self.refuseKey(configuration)
    shelf = try FolderShelf(path, relay: configuration[SealingOption.self])
    homeShelf = nil
    grants = GrantBook(folder: path)
    var configuration = configuration
    configuration[SealingOption.self] = nil
    self.configuration = configuration
    self.openLimit = max(1, openLimit)
  }

  /// Creates the directory of the spaces of a home.
  ///
  /// With the seal of a relay it keeps sealed spaces too, as that of a folder does.
  ///
  /// - Parameters:
  ///   - home: the home, whose spaces any number of hosts serve.
  ///   - cache: the folder for the indexes, of which no other process makes use. It is created if
  ///     it does not exist.
  ///   - cacheLimit: the size that the indexes may have together, in bytes, unless more are in use;
  ///     nil for any. Those that were not used for the longest time are removed, and made anew when
  ///     they are needed.
  ///   - configuration: the options for opening stores.
  ///   - openLimit: the most spaces that are open at a time, unless more are in use.
  ///   - fetchingIndexes: fetches the index of a space, by its name, from another host into a new
  ///     file, and throws if there is none. Without it, an index is made from the log.
  /// - Throws: `VarveError`: `busy` if another process uses the folder, `inputOutput`; `unsupported` if the
  ///   configuration has a key, or the seal of a member.
  public init(
    _ home: SpaceHome,
    cache: String,
    cacheLimit: Int? = nil,
    configuration: Store.Configuration = Store.Configuration(),
    openLimit: Int = ServerLimits().openSpaceCount,
    fetchingIndexes: IndexFetch? = nil
  ) throws {
    try Self.refuseKey(configuration)
    let shelf = HomeShelf(
      home.home,
      try IndexCache(cache, limit: cacheLimit),
      fetchingIndexes,
      relay: configuration[SealingOption.self]
    )
    self.shelf = shelf
    homeShelf = shelf
    grants = GrantBook(home.home)
    var configuration = configuration
    configuration[SealingOption.self] = nil
    self.configuration = configuration
    self.openLimit = max(1, openLimit)
  }

  /// Throws if stores are to be encrypted: backups, webhooks and indexes of a server are not. Throws
  /// also if the server would have keys of sealed spaces.
  private static func refuseKey(_ configuration: Store.Configuration) throws {
    guard configuration[SealingOption.self]?.hasKeys != true else {
      throw VarveError(
        .unsupported,
        "a server has no keys of sealed spaces",
        remedy: "Give the configuration the seal .relay()."
      )
    }
    guard configuration.key != nil else { return }
    throw VarveError(
      .unsupported,
      "a server does not encrypt its spaces with a key",
      remedy: "Leave the key out, and keep the folder on an encrypted disk."
    )
  }

  /// Creates a directory with one space, a store that is open. It stays open when the server ends.
  ///
  /// - Parameters:
  ///   - store: the store, which may be read-only.
  ///   - name: the name of the space; letters, digits, hyphens, underscores and single dots.
  /// - Throws: `VarveError` with code `invalidArgument` if the name is none of a space.
  public init(serving store: Store, as name: String) async throws {
    let name = try SpaceName.parse(name)
    shelf = LentShelf(name: name, store: store)
    homeShelf = nil
    grants = nil
    configuration = Store.Configuration()
    openLimit = 1
    entries[name] = .open(try await Space(name: name, store: store))
  }

  /// The folder for what belongs to this host: the spaces' files, or the indexes. Nil if the only
  /// space is a store that its owner opened.
  nonisolated var folder: String? { shelf.folder }

  // MARK: Using

  /// Calls a closure with a space, which stays open until it returns.
  func use<Result: Sendable>(
    _ name: SpaceName,
    _ body: (Space) async throws -> Result
  ) async throws -> Result {
    let lease = try await take(name)
    defer { withExtendedLifetime(lease) {} }
    return try await body(lease.space)
  }

  /// Returns a space, which stays open as long as the lease lives.
  func take(_ name: SpaceName) async throws -> SpaceLease {
    guard !isClosed else { throw Self.closing }
    watchSpaces()
    useCounts[name, default: 0] += 1
    do {
      let space = try await opened(name)
      homeShelf?.cache.noteUse(of: space.id)
      recency.removeAll { $0 == name }
      recency.append(name)
      return SpaceLease(space, of: self)
    } catch {
      discount(name)
      throw error
    }
  }

  /// Gives a space back; a lease does this at its end.
  func give(_ space: Space) async {
    discount(space.name)
    await closeIdle()
  }

  private func discount(_ name: SpaceName) {
    useCounts[name, default: 1] -= 1
    if useCounts[name] == 0 { useCounts[name] = nil }
  }

  private func opened(_ name: SpaceName) async throws -> Space {
    await waitForEnd(of: name)
    switch entries[name] {
    case .open(let space):
      if space.isPresent { return space }
      await drop(space)
      return try await opened(name)
    case .opening(let task): return try await task.value
    case .ending, nil: return try await open(name)
    }
  }

  /// Waits while the space of a name is ending.
  private func waitForEnd(of name: SpaceName) async {
    while case .ending(let task)? = entries[name] { _ = await task.result }
  }

  /// Closes a space that another process has ended. What holds it ends with `closed`.
  func drop(_ space: Space) async {
    guard case .open(let held)? = entries[space.name], held === space else { return }
    recency.removeAll { $0 == space.name }
    let task = Task<Void, any Error> {
      defer { entries[space.name] = nil }
      try await space.store.close()
    }
    entries[space.name] = .ending(task)
    _ = await task.result
  }

  /// Waits until it is certain whether there is a space with the name: others may be opening one
  /// that is not there, or the one that was there may be ending.
  func settle(_ name: SpaceName) async {
    while true {
      switch entries[name] {
      case .ending(let task)?: _ = await task.result
      case .opening(let task)?:
        _ = await task.result
        // Who opened it notes the outcome.
        await Task.yield()
      case .open(let space)? where !space.isPresent: await drop(space)
      case .open, nil: return
      }
    }
  }

  private func open(_ name: SpaceName) async throws -> Space {
    let task = Task { [configuration, shelf] in
      while true {
        let file = shelf.file(of: name)
        guard let store = try await shelf.open(name, configuration) else {
          throw await Self.missing(name, on: shelf)
        }
        do {
          // The file may be replaced while it is opened.
          if file?.isPresent ?? (shelf.file(of: name) == nil) {
            return try await Space(name: name, store: store, file: file)
          }
          try await store.close()
        } catch {
          try? await store.close()
          throw error
        }
      }
    }
    entries[name] = .opening(task)
    do {
      let space = try await task.value
      entries[name] = .open(space)
      return space
    } catch {
      entries[name] = nil
      throw error
    }
  }

  /// Closes the spaces that were not used for the longest time, while too many are open.
  private func closeIdle() async {
    while recency.count > openLimit, let name = recency.first(where: { useCounts[$0] == nil }),
      case .open(let space)? = entries[name]
    {
      recency.removeAll { $0 == name }
      entries[name] = nil
      try? await space.store.close()
    }
  }

  // MARK: Closing

  /// Closes every space. Later calls throw `closed`.
  public func close() async {
    isClosed = true
    watch?.cancel()
    let spaces = entries.values.compactMap { entry -> Space? in
      if case .open(let space) = entry { space } else { nil }
    }
    entries = [:]
    recency = []
    guard !(shelf is LentShelf) else { return }
    for space in spaces {
      try? await space.store.flush()
      try? await space.store.close()
    }
  }

  /// The number of open spaces.
  var openCount: Int { entries.count }

  /// Whether spaces can be read and written.
  func isReady() async -> Bool {
    watchSpaces()
    if let homeShelf, homeState == nil { await look(at: homeShelf) }
    let isReadable = folder.map { FileManager.default.isReadableFile(atPath: $0) } ?? true
    return !isClosed && [.there, nil].contains(homeState) && isReadable
  }

  func missing(_ name: SpaceName) async -> any Error {
    await Self.missing(name, on: shelf)
  }

  private static func missing(_ name: SpaceName, on shelf: any SpaceShelf) async -> any Error {
    if let receipt = try? await shelf.receipt(of: name) { return Problem(ended: receipt) }
    return VarveError(
      .notFound,
      "there is no space \"\(name.text)\"",
      at: "space \(name.text)",
      remedy: "PUT creates it; GET /v1/spaces lists the spaces."
    )
  }

  static var closing: VarveError {
    VarveError(.closed, "the server is stopping", remedy: "Try again soon.")
  }
}
#endif
