#if Server
import Foundation
import VarveCore
import VarveStore

/// Lists, creates and ends spaces.
extension SpaceDirectory {
  /// Returns the next spaces that can be read, in order of their names: fewer than the limit only
  /// at the end.
  func list(after start: String?, limit: Int) async throws -> [Listing] {
    var listings: [Listing] = []
    for (name, known) in try await shelf.names() where start.map({ name.text > $0 }) ?? true {
      guard listings.count < limit else { break }
      // A file that vanished or cannot be read is no space now.
      guard let id = await id(of: name, known) else { continue }
      listings.append(Listing(name: name, id: id))
    }
    return listings
  }

  private func id(of name: SpaceName, _ known: SpaceID?) async -> SpaceID? {
    if let known { return known }
    return try? await use(name) { $0.id }
  }

  /// Returns the names of the spaces, in order.
  func names() async throws -> [SpaceName] { try await shelf.names().map(\.name) }

  /// Creates a space unless there is one with the name.
  ///
  /// - Parameter sealed: the sealed space of which a relay is created; nil for an open space.
  /// - Returns: the space's id, and whether it is new.
  func create(
    _ name: SpaceName,
    relayOf sealed: SpaceID? = nil
  ) async throws -> (id: SpaceID, isNew: Bool) {
    guard !isClosed else { throw Self.closing }
    await settle(name)
    let isNew = try await make(name, relayOf: sealed)
    let (id, isRelay) = try await use(name) { ($0.id, $0.isRelay) }
    if let sealed, !isRelay || id != sealed {
      throw VarveError(
        .duplicateIdentifier,
        "there is another space \"\(name.text)\"",
        at: "space \(name.text)",
        remedy: "Choose another name for the relay."
      )
    }
    return (id, isNew)
  }

  /// Creates a space. Returns false if there is one, or another call creates it.
  private func make(_ name: SpaceName, relayOf sealed: SpaceID?) async throws -> Bool {
    guard entries[name] == nil else { return false }
    // Of two that are created at once, neither is in the folder yet.
    try name.requireDifferent(from: creating.keys)
    if let task = creating[name] {
      _ = try await task.value
      return false
    }
    let task = Task { [shelf, configuration] in
      guard let sealed else { return try await shelf.create(name, configuration) }
      return try await shelf.createRelay(name, of: sealed, configuration)
    }
    creating[name] = task
    defer { creating[name] = nil }
    return try await task.value
  }

  /// Ends a space: closes it, removes its files and keeps a receipt.
  ///
  /// - Parameters:
  ///   - id: the space that is meant; another under its name stays.
  ///   - subject: who ends it.
  func end(_ name: SpaceName, id: SpaceID, by subject: String?) async throws -> SpaceReceipt {
    guard !(shelf is LentShelf) else { throw LentShelf.isNoFolder }
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
      commitCount: try await commitCount(of: space),
      time: Date(),
      subject: subject
    )
    // Two may end it at once; the second finds it ending.
    guard case .open(let held)? = entries[name], held === space else {
      throw await missing(name)
    }
    let task = Task { [shelf, grants] in
      let last: SpaceReceipt
      do {
        last = try await shelf.end(space, receipt)
        // Where that fails, they are of no use: they are for this space only.
        try? await grants?.revokeAll(in: id, named: name)
      } catch {
        // It may be there still, or another host may have ended it. Opened anew, it shows.
        try? await space.store.close()
        // The name is free before those who wait for it go on.
        entries[name] = nil
        throw error
      }
      entries[name] = nil
      return last
    }
    entries[name] = .ending(Task { _ = try await task.value })
    recency.removeAll { $0 == name }
    return try await task.value
  }

  /// Returns the number of commits of a space that is to end; throws as a space that is not there if
  /// another call has ended it.
  private func commitCount(of space: Space) async throws -> Int {
    do {
      return Int(try await space.end().position.number)
    } catch let error as VarveError where error.code == .closed {
      throw await hasEnded(space) ? missing(space.name) : error
    }
  }
}
#endif
