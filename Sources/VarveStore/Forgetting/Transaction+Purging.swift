public import VarveCore

extension Transaction {
  /// Destroys what entities ever said: every value, removal and element of their properties, in all
  /// of history, here and on every store this one is synchronised with. Those that live are erased
  /// first, with what they alone own. It cannot be undone.
  ///
  /// Identifiers, types, times, and relations between entities stay, and so do authors and messages of
  /// commits: what must be forgotten does not belong there. Values of *other* entities that
  /// tell of these stay too.
  ///
  /// ```swift
  /// try await store.write(author: "sam", message: "asked to be forgotten") { tx in
  ///   try await tx.purge(["customer-7"])
  /// }
  /// ```
  ///
  /// - Parameter ids: the entities, live, dead or erased.
  /// - Returns: who died, and how many places were emptied: none where all was purged before.
  /// - Throws: ``VarveError``: `notFound` for an identifier nothing is known of; `invalidArgument` for
  ///   an entity this transaction wrote to.
  /// - Complexity: O(cells of the entities, and of the blocks they stand in).
  @discardableResult
  public func purge(_ ids: [EntityID]) async throws -> PurgeReport {
    try await perform { try await $0.purge(ids) }
  }
}

extension Store {
  /// Destroys what entities ever said, in one commit. See ``Transaction/purge(_:)``.
  ///
  /// When it returns, the bytes are gone from the file and its write-ahead log, unless somebody else
  /// reads or writes meanwhile: then the next write, opening or closing of the store destroys them.
  /// The file is written anew for it.
  ///
  /// - Complexity: O(bytes of the store).
  @discardableResult
  public func purge(
    _ ids: [EntityID],
    author: String = "",
    message: String = ""
  ) async throws -> PurgeReport {
    try await write(as: .delete, author: author, message: message) { try await $0.purge(ids) }
  }
}
