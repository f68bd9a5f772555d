import Foundation
import VarveCore
public import VarveStore

/// The spaces of a folder: each `*.varve` file in it is one.
///
/// A space is opened when it is first used. Beyond a number of open spaces, the one that was not
/// used for the longest time is closed.
public actor SpaceDirectory {
  /// The entry of a space in a list of spaces.
  struct Listing: Sendable {
    let name: SpaceName
    let id: SpaceID
  }

  private enum Entry {
    case opening(Task<Space, any Error>)
    case open(Space)
    /// Its files are being removed. Another space under the name waits for that.
    case ending(Task<Void, any Error>)
  }

  /// The folder; nil if the only space is a store that somebody else opened.
  nonisolated let folder: String?
  private let configuration: Store.Configuration
  private let openLimit: Int
  private var entries: [SpaceName: Entry] = [:]
  /// The number of users of an open space.
  private var useCounts: [SpaceName: Int] = [:]
  /// The names of the open spaces, the one used last at the end.
  private var recency: [SpaceName] = []
  private var isClosed = false
  /// The name of the space that somebody else opened.
  private var lent: SpaceName?

  /// Creates the directory for a folder, which must exist.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - configuration: the options for opening its stores.
  ///   - openLimit: the most spaces that are open at a time, unless more are in use.
  /// - Throws: ``VarveError`` with code `notFound` if there is no such folder.
  public init(
    _ path: String,
    configuration: Store.Configuration = Store.Configuration(),
    openLimit: Int = ServerLimits().openSpaceCount
  ) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw VarveError(
        .notFound,
        "there is no such folder",
        at: path,
        remedy: "Name the folder whose *.varve files are to be served."
      )
    }
    folder = path
    self.configuration = configuration
    self.openLimit = max(1, openLimit)
  }

  /// Creates a directory with one space, a store that is open. It stays open when the server ends.
  ///
  /// - Parameters:
  ///   - store: the store, which may be read-only.
  ///   - name: the name of the space; letters, digits, hyphens, underscores and single dots.
  /// - Throws: ``VarveError`` with code `invalidArgument` if the name is none of a space.
  public init(serving store: Store, as name: String) async throws {
    let name = try SpaceName.parse(name)
    folder = nil
    configuration = Store.Configuration()
    openLimit = 1
    lent = name
    entries[name] = .open(try await Space(name: name, store: store))
  }

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
    useCounts[name, default: 0] += 1
    do {
      let space = try await opened(name)
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
    case .open(let space): return space
    case .opening(let task): return try await task.value
    case .ending, nil: return try await open(name, creates: false)
    }
  }

  /// Waits while the space of a name is ending.
  private func waitForEnd(of name: SpaceName) async {
    while case .ending(let task)? = entries[name] { _ = await task.result }
  }

  private func open(_ name: SpaceName, creates: Bool) async throws -> Space {
    guard let file = file(of: name), creates || FileManager.default.fileExists(atPath: file) else {
      throw missing(name)
    }
    var configuration = configuration
    configuration.createsIfMissing = creates
    let task = Task { [configuration] in
      let store = try await Store.open(file, configuration: configuration)
      do {
        return try await Space(name: name, store: store)
      } catch {
        try? await store.close()
        throw error
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
    while folder != nil, recency.count > openLimit,
      let name = recency.first(where: { useCounts[$0] == nil }),
      case .open(let space)? = entries[name]
    {
      recency.removeAll { $0 == name }
      entries[name] = nil
      try? await space.store.close()
    }
  }

  // MARK: Keeping

  /// Returns the spaces in order of their names, from one on.
  func list(after start: String?, limit: Int) async throws -> [Listing] {
    let names = try names().filter { name in start.map { name.text > $0 } ?? true }.prefix(limit)
    var listings: [Listing] = []
    for name in names {
      // A file that vanished or cannot be read is no space now.
      guard let id = try? await use(name, { $0.id }) else { continue }
      listings.append(Listing(name: name, id: id))
    }
    return listings
  }

  /// Returns the names of the spaces, in order.
  func names() throws -> [SpaceName] {
    guard let folder else { return lent.map { [$0] } ?? [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { file in
      file.hasSuffix(Self.suffix) ? SpaceName(String(file.dropLast(Self.suffix.count))) : nil
    }.sorted { $0.text < $1.text }
  }

  /// Creates a space unless there is one with the name.
  ///
  /// - Returns: the space's id, and whether it is new.
  func create(_ name: SpaceName) async throws -> (id: SpaceID, isNew: Bool) {
    guard !isClosed else { throw Self.closing }
    await waitForEnd(of: name)
    guard let file = file(of: name) else { throw Self.noFolder }
    if entries[name] != nil || FileManager.default.fileExists(atPath: file) {
      return (try await use(name) { $0.id }, false)
    }
    useCounts[name, default: 0] += 1
    defer { discount(name) }
    let space = try await open(name, creates: true)
    recency.append(name)
    try await space.store.flush()
    await closeIdle()
    return (space.id, true)
  }

  /// Ends a space: closes it, removes its files and keeps a receipt.
  ///
  /// - Parameters:
  ///   - id: the space that is meant; another under its name stays.
  ///   - subject: who ends it.
  func end(_ name: SpaceName, id: SpaceID, by subject: String?) async throws -> SpaceReceipt {
    guard let file = file(of: name), let receipts else { throw Self.noFolder }
    let lease = try await take(name)
    let space = lease.space
    guard space.id == id else {
      throw VarveError(
        .notFound,
        "the space \"\(name.text)\" has another id",
        at: "space \(space.id)",
        remedy: "Nothing was removed. GET the space, and name the id it has."
      )
    }
    let receipt = SpaceReceipt(
      name: name,
      id: id,
      commitCount: Int(try await space.end().position.number),
      time: Date(),
      subject: subject
    )
    // Two may end it at once; the second finds it ending.
    guard case .open(let held)? = entries[name], held === space else { throw missing(name) }
    let files = ["", "-wal", "-shm"].map { file + $0 }
    let task = Task {
      // The name is free before those who wait for it go on.
      defer { entries[name] = nil }
      // Calls that are under way end with `closed`.
      try await space.store.close()
      try receipts.add(receipt)
      for file in files where FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
    entries[name] = .ending(task)
    recency.removeAll { $0 == name }
    try await task.value
    return receipt
  }

  /// Closes every space. Later calls throw `closed`.
  public func close() async {
    isClosed = true
    let spaces = entries.values.compactMap { entry -> Space? in
      if case .open(let space) = entry { space } else { nil }
    }
    entries = [:]
    recency = []
    guard folder != nil else { return }
    for space in spaces {
      try? await space.store.flush()
      try? await space.store.close()
    }
  }

  /// The number of open spaces.
  var openCount: Int { entries.count }

  /// Whether spaces can be used.
  var isReady: Bool {
    !isClosed && (folder.map { FileManager.default.isReadableFile(atPath: $0) } ?? true)
  }

  private static let suffix = ".varve"

  private func file(of name: SpaceName) -> String? {
    folder.map { "\($0)/\(name.text)\(Self.suffix)" }
  }

  private var receipts: SpaceReceipts? { folder.map { SpaceReceipts($0) } }

  private func missing(_ name: SpaceName) -> any Error {
    if let receipt = try? receipts?.newest(of: name) { return Problem(ended: receipt) }
    return VarveError(
      .notFound,
      "there is no space \"\(name.text)\"",
      at: "space \(name.text)",
      remedy: "PUT creates it; GET /v1/spaces lists those there are."
    )
  }

  private static var noFolder: VarveError {
    VarveError(
      .invalidArgument,
      "this server has no folder of spaces",
      remedy: "Start varve serve with a folder."
    )
  }

  private static var closing: VarveError {
    VarveError(.closed, "the server is stopping", remedy: "Try again soon.")
  }
}
